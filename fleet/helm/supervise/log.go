package supervise

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	gosync "sync"

	"ocaptain/fleet"
)

// maxLog is how long helm's own log may grow before its older part goes.
const maxLog = 4 << 20

// LogPath is the file that helm and its guard have as their standard error.
func LogPath(h fleet.Hub) string { return filepath.Join(h.State, "helm.log") }

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
