package ilt

import "encoding/json"

// A Chat is a training record in the form of messages. Records of other forms, like prompt and completion, are any
// value that encodes to their JSON.
type Chat struct {
	Messages []Message       `json:"messages"`
	Unmask   bool            `json:"unmask,omitempty"` // whether all roles but system are learnt
	Tools    json.RawMessage `json:"tools,omitempty"`  // as the model's template takes them
}

// A Message is one turn of a chat.
type Message struct {
	Role             string          `json:"role"` // "system", "user", "assistant", "tool"
	Content          string          `json:"content"`
	ReasoningContent string          `json:"reasoning_content,omitempty"`
	ToolCalls        json.RawMessage `json:"tool_calls,omitempty"`
	Train            *bool           `json:"train,omitempty"` // false: an assistant's turn that is not learnt
}

// encodeRecord gives the JSON of a record: its bytes, if it is JSON already.
func encodeRecord(record any) ([]byte, error) {
	switch r := record.(type) {
	case json.RawMessage:
		return r, nil
	case []byte:
		return r, nil
	case string:
		return []byte(r), nil
	}
	return json.Marshal(record)
}
