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

// maxLog is how long helm's own log may grow before its older part goes.
const maxLog = 4 << 20

// LogPath is the file that helm and its guard have as their standard error.
func LogPath(h fleet.Hub) string { return filepath.Join(h.State, "helm.log") }

func openLog(h fleet.Hub) (*os.File, error) {
	return os.OpenFile(LogPath(h), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
}

// logSize is how long the log is.
func logSize(h fleet.Hub) int64 {
	info, err := os.Stat(LogPath(h))
	if err != nil {
		return 0
	}
	return info.Size()
}

// lastWords is why helm ended: its last error in the log after that many bytes, or else its last line.
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

// NewLog writes helm's log to its standard error.
func NewLog(h fleet.Hub) *slog.Logger {
	w := &boundedLog{f: os.Stderr, path: LogPath(h), most: maxLog}
	w.shorten()
	return slog.New(slog.NewTextHandler(w, nil))
}

// boundedLog keeps the newest part of a file that others append to as well.
type boundedLog struct {
	mu   gosync.Mutex
	f    *os.File
	path string // of f, unless f is something else, as a terminal
	most int64
	n    int64 // written since the file was looked at
}

func (b *boundedLog) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.n += int64(len(p)); b.n > b.most/4 {
		b.shorten()
	}
	return b.f.Write(p)
}

// shorten shortens the file in place: the others that append to it go on where it ends.
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
