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

// claudeQueue returns the messages that Claude Code got while it was busy and has not begun yet. Its transcript has a line of type
// queue-operation for each: the operation enqueue has the text, dequeue means that the first message begins a turn, and remove, with the
// text, that a message was read between two tools of a turn. Lines from before since are of a process that has ended. whole reports
// whether the transcript already contains the last answer.
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
