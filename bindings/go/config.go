package ilt

// #include "shim.h"
import "C"

import (
	"bytes"
	"encoding/json"
	"sync"
)

//go:generate go run ./internal/optiongen/gen .

// Ptr gives a pointer to v, for the options whose zero value is a value of its own: Shuffle: ilt.Ptr(false).
func Ptr[T any](v T) *T { return &v }

// ConfigSchema is the JSON Schema (draft 2020-12) of all options, from which [Config] is made.
func ConfigSchema() string { return C.GoString(C.ilt_config_schema_json()) }

// UnmarshalJSON replaces the configuration by the options of one JSON object, which may have the other spellings that
// the library takes. An option that is unknown or has a bad value is an [*Error] of the kind [ErrConfig], with the
// nearest name in its details.
func (c *Config) UnmarshalJSON(document []byte) error {
	config, err := parseConfig(document)
	if err != nil {
		return err
	}
	defer config.close()
	changed, err := config.changed()
	if err != nil {
		return err
	}
	*c = changed
	return nil
}

// Set sets one option from text, by any of its names: a string as it is, a number, true or false, a list as JSON or as
// its only element. It is for command lines and the like; the configuration is unchanged if it fails.
func (c *Config) Set(option, value string) error {
	config, err := newConfig(*c)
	if err != nil {
		return err
	}
	defer config.close()
	key, text := cString(option), cString(value)
	defer freeString(key)
	defer freeString(text)
	if err := config.call(func(p *C.ilt_config, err **C.ilt_error) C.ilt_status {
		return C.ilt_config_set(p, key, text, err)
	}); err != nil {
		return err
	}
	changed, err := config.changed()
	if err != nil {
		return err
	}
	*c = changed
	return nil
}

// Get gives the value of one option, by any of its names and with its default filled in, as [Config.Set] takes it.
func (c Config) Get(option string) (string, error) {
	config, err := newConfig(c)
	if err != nil {
		return "", err
	}
	defer config.close()
	key := cString(option)
	defer freeString(key)
	var out *C.char
	if err := config.call(func(p *C.ilt_config, err **C.ilt_error) C.ilt_status {
		return C.ilt_config_get(p, key, &out, err)
	}); err != nil {
		return "", err
	}
	defer freeLibraryString(out)
	return C.GoString(out), nil
}

// Validate checks what can be told without files: that required options are there and that none contradict each other.
// With a DataPath, all that training needs; without it, what a session to score, generate and save needs.
func (c Config) Validate() error {
	config, err := newConfig(c)
	if err != nil {
		return err
	}
	defer config.close()
	return config.call(func(p *C.ilt_config, err **C.ilt_error) C.ilt_status { return C.ilt_config_validate(p, err) })
}

// WithDefaults gives the configuration with all options filled in.
func (c Config) WithDefaults() (Config, error) {
	config, err := newConfig(c)
	if err != nil {
		return Config{}, err
	}
	defer config.close()
	document, err := config.json()
	if err != nil {
		return Config{}, err
	}
	return decodeConfig([]byte(document))
}

// plainConfig is Config as encoding/json sees it.
type plainConfig Config

func decodeConfig(document []byte) (Config, error) {
	var plain plainConfig
	err := json.Unmarshal(document, &plain)
	return Config(plain), err
}

// A libConfig is a configuration of the library's.
type libConfig struct{ *handle[*C.ilt_config] }

func newConfig(c Config) (libConfig, error) {
	document, err := json.Marshal(c)
	if err != nil {
		return libConfig{}, err
	}
	return parseConfig(document)
}

func parseConfig(document []byte) (libConfig, error) {
	if err := checkABI(); err != nil {
		return libConfig{}, err
	}
	var p *C.ilt_config
	data, length := text(document)
	if err := call(func(err **C.ilt_error) C.ilt_status {
		return C.ilt_config_from_json(data, length, &p, err)
	}); err != nil {
		return libConfig{}, err
	}
	return ownConfig(p), nil
}

func ownConfig(p *C.ilt_config) libConfig {
	return libConfig{newHandle("config", p, func(p *C.ilt_config) { C.ilt_config_free(p) })}
}

func (c libConfig) call(f func(p *C.ilt_config, err **C.ilt_error) C.ilt_status) error {
	p, err := c.use()
	if err != nil {
		return err
	}
	defer c.done()
	return call(func(err **C.ilt_error) C.ilt_status { return f(p, err) })
}

func (c libConfig) json() (string, error) {
	p, err := c.use()
	if err != nil {
		return "", err
	}
	defer c.done()
	return callString(func(out **C.char, length *C.size_t, err **C.ilt_error) C.ilt_status {
		return C.ilt_config_to_json(p, out, length, err)
	})
}

// defaults are the options of the library with their default values.
var defaults = sync.OnceValues(func() (map[string]json.RawMessage, error) {
	var p *C.ilt_config
	if err := call(func(err **C.ilt_error) C.ilt_status { return C.ilt_config_create(&p, err) }); err != nil {
		return nil, err
	}
	config := ownConfig(p)
	defer config.close()
	return config.options()
})

func (c libConfig) options() (map[string]json.RawMessage, error) {
	document, err := c.json()
	if err != nil {
		return nil, err
	}
	var options map[string]json.RawMessage
	err = json.Unmarshal([]byte(document), &options)
	return options, err
}

// changed is the configuration with those options that are not at their defaults.
func (c libConfig) changed() (Config, error) {
	options, err := c.options()
	if err != nil {
		return Config{}, err
	}
	defaults, err := defaults()
	if err != nil {
		return Config{}, err
	}
	for name, value := range options {
		if bytes.Equal(value, defaults[name]) {
			delete(options, name)
		}
	}
	document, err := json.Marshal(options)
	if err != nil {
		return Config{}, err
	}
	return decodeConfig(document)
}
