package loopback

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
)

// answer is the wire form of a reply.
type answer struct {
	ID         string           `json:"id"`
	Type       string           `json:"type"`
	Role       string           `json:"role"`
	Model      string           `json:"model"`
	Content    []map[string]any `json:"content"`
	StopReason any              `json:"stop_reason"`
	StopSeq    any              `json:"stop_sequence"`
	Usage      usage            `json:"usage"`
}

// usage is the number of tokens that an answer reports.
type usage struct {
	Input      int `json:"input_tokens"`
	Output     int `json:"output_tokens"`
	CacheRead  int `json:"cache_read_input_tokens"`
	CacheWrite int `json:"cache_creation_input_tokens"`
}

// priced divides the tokens of a request of that many bytes among fresh and cached input, with different numbers so
// that a test notices when they are mixed up.
func priced(asked, said int) usage {
	all := tokens(asked)
	read, write := all/2, all/8
	return usage{Input: all - read - write, Output: tokens(said), CacheRead: read, CacheWrite: write}
}

// newID returns an id that no other answer has, since the ids of calls must be unique in a conversation.
func newID(prefix string) string { return prefix + strings.ToLower(ulid.Make().String()) }

// newAnswer makes an answer from a reply. size is the size of the request in bytes.
func newAnswer(r Request, reply Reply, size int) answer {
	a := answer{
		ID: newID("msg_"), Type: "message", Role: "assistant", Model: r.Model,
		Content: []map[string]any{}, StopReason: "end_turn",
	}
	for _, b := range reply.Blocks {
		if b.Tool == "" {
			a.Content = append(a.Content, map[string]any{"type": "text", "text": b.Text})
			continue
		}
		input := b.Input
		if input == nil {
			input = map[string]any{}
		}
		a.Content = append(a.Content, map[string]any{"type": "tool_use", "id": newID("toolu_"), "name": b.Tool, "input": input})
		a.StopReason = "tool_use"
	}
	said, _ := json.Marshal(a.Content)
	a.Usage = priced(size, len(said))
	return a
}

// tokens returns a number of tokens for a text of that many bytes.
func tokens(bytes int) int { return bytes/4 + 1 }

// stream sends an answer as server-sent events. A cut answer stops in the middle
// of its first block.
func stream(w http.ResponseWriter, a answer, cut bool) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	send := func(kind string, fields map[string]any) {
		fields["type"] = kind
		data, err := json.Marshal(fields)
		if err != nil {
			panic(err) // cannot happen: maps of texts and numbers can always be encoded
		}
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, data)
		w.(http.Flusher).Flush()
	}
	start := a
	start.Content, start.StopReason, start.Usage.Output = []map[string]any{}, nil, 1
	send("message_start", map[string]any{"message": start})
	if cut {
		panic(http.ErrAbortHandler)
	}
	for i, b := range a.Content {
		open, delta := opened(b)
		send("content_block_start", map[string]any{"index": i, "content_block": open})
		send("content_block_delta", map[string]any{"index": i, "delta": delta})
		send("content_block_stop", map[string]any{"index": i})
	}
	send("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": a.StopReason, "stop_sequence": nil},
		"usage": map[string]any{"output_tokens": a.Usage.Output},
	})
	send("message_stop", map[string]any{})
}

// opened splits a block into an empty block and the delta that fills it.
func opened(b map[string]any) (start, delta map[string]any) {
	if b["type"] == "text" {
		return map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": b["text"]}
	}
	input, _ := json.Marshal(b["input"])
	return map[string]any{"type": "tool_use", "id": b["id"], "name": b["name"], "input": map[string]any{}},
		map[string]any{"type": "input_json_delta", "partial_json": string(input)}
}

// pause waits for d, or until the client is gone.
func pause(r *http.Request, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
	}
}
