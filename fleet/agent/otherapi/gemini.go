package otherapi

import (
	"encoding/json"
	"net/http"
	"strings"
)

// gemini is a request of Gemini's API.
type gemini struct {
	Contents []struct {
		Role  string `json:"role"`
		Parts []struct {
			Text     string `json:"text"`
			Response *struct {
				Response json.RawMessage `json:"response"`
			} `json:"functionResponse"`
		} `json:"parts"`
	} `json:"contents"`
	Tools []struct {
		Functions []struct {
			Name string `json:"name"`
		} `json:"functionDeclarations"`
	} `json:"tools"`

	plain bool // not streamed
}

func (r *gemini) talk() (t Talk, tool string) {
	for _, c := range r.Contents {
		if c.Role != "user" {
			continue
		}
		var said []string
		for _, p := range c.Parts {
			switch {
			case p.Response != nil:
				t.Results = append(t.Results, output(p.Response.Response))
			case p.Text != "" && !strings.HasPrefix(p.Text, "<session_context>"):
				said = append(said, p.Text)
			}
		}
		if len(said) > 0 {
			t.Prompt, t.Results = strings.Join(said, "\n"), nil
			t.Turn++
		}
	}
	var names []string
	for _, x := range r.Tools {
		for _, f := range x.Functions {
			names = append(names, f.Name)
		}
	}
	return t, pick(names)
}

// output returns what a command printed, without the wrapping of the agent.
func output(raw json.RawMessage) string {
	var o struct {
		Output string `json:"output"`
	}
	if json.Unmarshal(raw, &o) == nil && o.Output != "" {
		return o.Output
	}
	return string(raw)
}

func (r *gemini) answer(w http.ResponseWriter, s Step, tool string, _ int) {
	var parts []any
	if s.Say != "" {
		parts = append(parts, map[string]any{"text": s.Say})
	}
	if s.Run != "" {
		parts = append(parts, map[string]any{"functionCall": map[string]any{"name": tool, "args": arguments(tool, s.Run)}})
	}
	v := map[string]any{
		"candidates":    []any{map[string]any{"content": map[string]any{"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": map[string]any{"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120, "cachedContentTokenCount": 10},
	}
	if r.plain {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(mustJSON(v))
		return
	}
	events(w, false, v)
}
