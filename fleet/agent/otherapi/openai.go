package otherapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// responses is a request of OpenAI's Responses API.
type responses struct {
	Input []struct {
		Type    string          `json:"type"`
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Output  json.RawMessage `json:"output"`
	} `json:"input"`
	Tools []struct {
		Name string `json:"name"`
		Type string `json:"type"`
	} `json:"tools"`
}

func (r *responses) talk() (t Talk, tool string) {
	for _, i := range r.Input {
		switch {
		case i.Role == "user":
			// What an agent says about its environment is no prompt.
			if s := text(i.Content); !strings.HasPrefix(s, "<") && !strings.HasPrefix(s, "# AGENTS.md") {
				t.Prompt, t.Results = s, nil
				t.Turn++
			}
		case i.Type == "function_call_output":
			t.Results = append(t.Results, text(i.Output))
		}
	}
	var names []string
	for _, x := range r.Tools {
		names = append(names, x.Name)
	}
	return t, pick(names)
}

func (*responses) answer(w http.ResponseWriter, s Step, tool string, n int) {
	id := fmt.Sprintf("resp_%d", n)
	var items []any
	if s.Say != "" {
		items = append(items, map[string]any{
			"type": "message", "role": "assistant", "id": "msg_" + id, "status": "completed",
			"content": []any{map[string]any{"type": "output_text", "text": s.Say, "annotations": []any{}}},
		})
	}
	if s.Run != "" {
		items = append(items, map[string]any{
			"type": "function_call", "id": "fc_" + id, "call_id": "call_" + id, "name": tool, "status": "completed",
			"arguments": string(mustJSON(arguments(tool, s.Run))),
		})
	}
	all := []any{map[string]any{"type": "response.created", "response": map[string]any{"id": id}}}
	for i, item := range items {
		all = append(all, map[string]any{"type": "response.output_item.added", "output_index": i, "item": item})
		if s.Say != "" && i == 0 {
			all = append(all, map[string]any{
				"type": "response.output_text.delta", "item_id": "msg_" + id, "output_index": i, "content_index": 0, "delta": s.Say,
			})
		}
		all = append(all, map[string]any{"type": "response.output_item.done", "output_index": i, "item": item})
	}
	all = append(all, map[string]any{"type": "response.completed", "response": map[string]any{
		"id": id, "status": "completed", "output": items,
		"usage": map[string]any{
			"input_tokens": 100, "input_tokens_details": map[string]any{"cached_tokens": 10},
			"output_tokens": 20, "output_tokens_details": map[string]any{"reasoning_tokens": 0}, "total_tokens": 120,
		},
	}})
	events(w, true, all...)
}

// completions is a request of OpenAI's Chat Completions API.
type completions struct {
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
	Stream bool `json:"stream"`
}

func (r *completions) talk() (t Talk, tool string) {
	for _, m := range r.Messages {
		switch m.Role {
		case "user":
			t.Prompt, t.Results = text(m.Content), nil
			t.Turn++
		case "tool":
			t.Results = append(t.Results, text(m.Content))
		}
	}
	var names []string
	for _, x := range r.Tools {
		names = append(names, x.Function.Name)
	}
	return t, pick(names)
}

func (r *completions) answer(w http.ResponseWriter, s Step, tool string, n int) {
	message := map[string]any{"role": "assistant", "content": s.Say}
	finish := "stop"
	if s.Run != "" {
		finish = "tool_calls"
		message["tool_calls"] = []any{map[string]any{
			"index": 0, "id": fmt.Sprintf("call_%d", n), "type": "function",
			"function": map[string]any{"name": tool, "arguments": string(mustJSON(arguments(tool, s.Run)))},
		}}
	}
	usage := map[string]any{
		"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120,
		"prompt_tokens_details": map[string]any{"cached_tokens": 10},
	}
	whole := func(key string, finish any, message map[string]any) map[string]any {
		return map[string]any{
			"id": fmt.Sprintf("chatcmpl-%d", n), "created": 1, "model": "fake", "object": "chat.completion.chunk",
			"choices": []any{map[string]any{"index": 0, key: message, "finish_reason": finish}},
		}
	}
	if !r.Stream {
		v := whole("message", finish, message)
		v["object"], v["usage"] = "chat.completion", usage
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(mustJSON(v))
		return
	}
	last := whole("delta", finish, map[string]any{})
	last["usage"] = usage
	events(w, false, whole("delta", nil, message), last)
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// text is the text of a message: a string, or the texts of its parts.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &parts)
	var all []string
	for _, p := range parts {
		all = append(all, p.Text)
	}
	return strings.Join(all, "\n")
}
