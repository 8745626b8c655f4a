package agentlog

import (
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// queueBytes bounds how much of the end of a transcript is read for the queue.
const queueBytes = 8 << 20

// claudeQueue reads what Claude Code took while it was busy, and has not begun with yet, as its transcript tells it: a line
// of type queue-operation with the operation enqueue and the text; dequeue when the first one begins a turn; remove, with the
// text, when one was told between two tools of a turn. Lines of before since are those of a process that is gone. It also reports whether
// the transcript has come as far as the last answer.
func claudeQueue(path, answer string, since time.Time) (queued []string, whole bool) {
	f, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > queueBytes {
		_, _ = f.Seek(-queueBytes, io.SeekEnd)
	}
	_, _ = ReadLines(f, func(line []byte) {
		var l struct {
			Type      string    `json:"type"`
			Operation string    `json:"operation"`
			Content   string    `json:"content"`
			At        time.Time `json:"timestamp"`
			Message   struct {
				Content []struct{ Text string } `json:"content"`
			} `json:"message"`
		}
		if json.Unmarshal(line, &l) != nil || l.At.Before(since) {
			return
		}
		switch {
		case l.Type == "assistant" && len(l.Message.Content) > 0:
			whole = strings.TrimSpace(l.Message.Content[0].Text) == strings.TrimSpace(answer)
		case l.Type != "queue-operation":
		case l.Operation == "enqueue":
			queued = append(queued, l.Content)
		case l.Operation == "dequeue":
			queued = queued[min(1, len(queued)):]
		default:
			if i := slices.Index(queued, l.Content); i >= 0 {
				queued = slices.Delete(queued, i, i+1)
			}
		}
	})
	return queued, whole
}
