package supervise

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	gosync "sync"

	"ocaptain/fleet"
)

// maxLog is the size in bytes at which the older part of helm's own log is removed.
const maxLog = 4 << 20

// LogPath returns the path of the file that is the standard error of helm and its guard.
func LogPath(h fleet.Hub) string { return filepath.Join(h.State, "helm.log") }

func openLog(h fleet.Hub) (*os.File, error) {
	return os.OpenFile(LogPath(h), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
}

// logSize returns the size of the log.
func logSize(h fleet.Hub) int64 {
	info, err := os.Stat(LogPath(h))
	if err != nil {
		return 0
	}
	return info.Size()
}

// lastWords returns why helm has ended: the last error in the log from offset after on, or else its last line.
func lastWords(h fleet.Hub, after int64) string {
	raw, err := os.ReadFile(LogPath(h))
	if err != nil {
		return err.Error()
	}
	said := strings.TrimSpace(string(raw[min(after, int64(len(raw))):]))
	if said == "" {
		return "it said nothing"
	}
	line := said[strings.LastIndex(said, "\n")+1:]
	for l := range strings.Lines(said) {
		if why, ok := strings.CutPrefix(l, "error: "); ok {
			line = strings.TrimSpace(why)
		}
	}
	return line
}

// NewLog returns helm's logger, which writes to standard error.
func NewLog(h fleet.Hub) *slog.Logger {
	w := &boundedLog{f: os.Stderr, path: LogPath(h), most: maxLog}
	w.shorten()
	return slog.New(slog.NewTextHandler(w, nil))
}

// boundedLog writes to a file to which others append too, and keeps only its newest part.
type boundedLog struct {
	mu   gosync.Mutex
	f    *os.File
	path string // path of f; "" if f is something else, such as a terminal
	most int64
	n    int64 // bytes written since the size of the file was last checked
}

func (b *boundedLog) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.n += int64(len(p)); b.n > b.most/4 {
		b.shorten()
	}
	return b.f.Write(p)
}

// shorten shortens the file in place, so that other processes go on appending at its end.
func (b *boundedLog) shorten() {
	b.n = 0
	info, err := b.f.Stat()
	if err != nil || info.Size() <= b.most {
		return
	}
	r, err := os.Open(b.path)
	if err != nil {
		return
	}
	defer r.Close()
	if own, err := r.Stat(); err != nil || !os.SameFile(own, info) {
		return
	}
	end := make([]byte, b.most/4)
	if _, err := r.ReadAt(end, info.Size()-int64(len(end))); err != nil && err != io.EOF {
		return
	}
	if b.f.Truncate(0) == nil {
		_, _ = b.f.Write(append([]byte("…\n"), end...))
	}
}
