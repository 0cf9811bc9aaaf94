// Package optiongen makes the Config type of package ilt from the library's JSON Schema of options.
package optiongen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/format"
	"slices"
	"strings"
	"text/template"
)

// Files are the generated files by name: the struct, and the types of options that have a few values.
const (
	OptionsFile = "config_options.go"
	ValuesFile  = "config_values.go"
)

// An Option is one property of the schema.
type Option struct {
	Name        string
	Type        types           `json:"type"`
	Enum        []string        `json:"enum"`
	Default     json.RawMessage `json:"default"`
	Description string          `json:"description"`
	Minimum     *float64        `json:"minimum"`
	Above       *float64        `json:"exclusiveMinimum"`
	Items       *Option         `json:"items"`
	Group       string          `json:"x-group"`
	Required    string          `json:"x-required"`
}

// types is "string" or ["string", "null"].
type types []string

func (t *types) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*t = types{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(t))
}

// Generate gives the source files for a schema, gofmt'ed, by name.
func Generate(schema []byte) (map[string][]byte, error) {
	options, err := parse(schema)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for name, t := range map[string]*template.Template{OptionsFile: optionsTemplate, ValuesFile: valuesTemplate} {
		var source bytes.Buffer
		if err := t.Execute(&source, options); err != nil {
			return nil, err
		}
		if files[name], err = format.Source(source.Bytes()); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return files, nil
}

// parse reads the properties in their order, which a map would lose.
func parse(schema []byte) ([]Option, error) {
	var document struct {
		Properties json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(schema, &document); err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(document.Properties))
	if _, err := decoder.Token(); err != nil { // {
		return nil, err
	}
	var options []Option
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		option := Option{Name: name.(string)}
		if err := decoder.Decode(&option); err != nil {
			return nil, fmt.Errorf("option %s: %w", name, err)
		}
		if _, err := option.base(); err != nil {
			return nil, err
		}
		options = append(options, option)
	}
	return options, nil
}

var initialisms = map[string]string{"lr": "LR", "id": "ID", "cpu": "CPU", "gpu": "GPU", "url": "URL", "json": "JSON"}

func camel(name string) string {
	var out strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		if whole, ok := initialisms[word]; ok {
			out.WriteString(whole)
		} else if word != "" {
			out.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return out.String()
}

// GoName is the field's name.
func (o Option) GoName() string { return camel(o.Name) }

// ValueName is the name of the constant for one value.
func (o Option) ValueName(value string) string { return o.GoName() + camel(value) }

// Values are those that have a constant; the empty one is the field's zero value.
func (o Option) Values() []string {
	return slices.DeleteFunc(slices.Clone(o.Enum), func(v string) bool { return v == "" })
}

// base is the Go type of a value.
func (o Option) base() (string, error) {
	kinds := slices.DeleteFunc(slices.Clone(o.Type), func(t string) bool { return t == "null" })
	if slices.Contains(kinds, "array") { // perhaps also its only element
		if o.Items == nil {
			return "", fmt.Errorf("option %s: a list of what?", o.Name)
		}
		item, err := o.Items.base()
		return "[]" + item, err
	}
	if len(kinds) != 1 {
		return "", fmt.Errorf("option %s: no Go type for %v", o.Name, o.Type)
	}
	switch kinds[0] {
	case "string":
		if len(o.Enum) > 0 {
			return o.GoName(), nil
		}
		return "string", nil
	case "integer":
		return "int", nil
	case "number":
		return "float64", nil
	case "boolean":
		return "bool", nil
	}
	return "", fmt.Errorf("option %s: no Go type for %v", o.Name, o.Type)
}

// GoType is the field's type: a pointer where the zero value is one that the option may have, and not its default.
func (o Option) GoType() string {
	base, _ := o.base() // checked in parse
	if o.zeroIsAValue(base) && !o.defaultIsZero() {
		return "*" + base
	}
	return base
}

func (o Option) zeroIsAValue(base string) bool {
	switch base {
	case "bool":
		return true
	case "int", "float64":
		return o.Required == "" && (o.Minimum == nil || *o.Minimum <= 0) && (o.Above == nil || *o.Above < 0)
	}
	return false // a list, a name: the empty one stands for the default
}

func (o Option) defaultIsZero() bool {
	switch strings.TrimRight(strings.TrimSuffix(string(o.Default), ".0"), " ") {
	case "false", "0", `""`, "[]":
		return true
	}
	return false
}

// Comment is what is said of the field.
func (o Option) Comment() string {
	text := o.GoName() + " is the option " + o.Name + ". " + o.Description
	switch {
	case o.Required == "always":
		text += " Required."
	case o.Required != "":
		text += " Required for " + o.Required + "."
	case strings.HasPrefix(o.GoType(), "*") && string(o.Default) == "null":
	case !o.defaultIsZero() && len(o.Default) > 0 && string(o.Default) != "null":
		text += " Default: " + strings.Trim(string(o.Default), `"`) + "."
	}
	return comment(text)
}

// comment breaks text into lines of at most 100 characters.
func comment(text string) string {
	var out strings.Builder
	line := "//"
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) > 100 {
			out.WriteString(line + "\n")
			line = "//"
		}
		line += " " + word
	}
	out.WriteString(line)
	return out.String()
}
