package spritestest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// host returns the path on this machine of a file on the sprite, "" if the user sprite has no access to it.
func (s *sprite) host(name string) string {
	name = path.Clean("/" + name)
	for in, out := range map[string]string{"/home/sprite": "home", "/tmp": "tmp"} {
		if rest, ok := strings.CutPrefix(name, in); ok && (rest == "" || rest[0] == '/') {
			return filepath.Join(s.dir, out, rest)
		}
	}
	return ""
}

// file finds the file that a request is about, and wakes the sprite.
func (s *sprite) file(w http.ResponseWriter, r *http.Request, name string) (string, func(), bool) {
	if !r.URL.Query().Has("workingDir") && r.Method != http.MethodPost {
		fail(w, http.StatusBadRequest, "workingDir is required", "")
		return "", nil, false
	}
	at := s.host(name)
	if at == "" {
		answer(w, http.StatusForbidden, map[string]any{"error": "open " + name + ": permission denied", "path": name})
		return "", nil, false
	}
	_, release, err := s.use()
	if err != nil {
		fail(w, http.StatusNotFound, "sprite not found", "")
		return "", nil, false
	}
	return at, release, true
}

func failFile(w http.ResponseWriter, name string, err error) {
	status, why := http.StatusInternalServerError, "input/output error"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		status, why = http.StatusNotFound, "no such file or directory"
	case errors.Is(err, fs.ErrPermission):
		status, why = http.StatusForbidden, "permission denied"
	}
	answer(w, status, map[string]any{"error": "open " + name + ": " + why, "path": name})
}

func (s *sprite) readFile(w http.ResponseWriter, r *http.Request) {
	name := r.FormValue("path")
	at, release, ok := s.file(w, r, name)
	if !ok {
		return
	}
	defer release()
	raw, err := os.ReadFile(at)
	if err != nil {
		failFile(w, name, err)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(raw)
}

func (s *sprite) writeFile(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	name := q.Get("path")
	at, release, ok := s.file(w, r, name)
	if !ok {
		return
	}
	defer release()
	mode := uint64(0o644)
	if m := q.Get("mode"); m != "" {
		var err error
		if mode, err = strconv.ParseUint(m, 8, 12); err != nil {
			fail(w, http.StatusBadRequest, "invalid mode", "")
			return
		}
	}
	n, err := writeTo(at, fs.FileMode(mode), r.Body)
	if err != nil {
		failFile(w, name, err)
		return
	}
	s.belongs(at)
	answer(w, http.StatusOK, map[string]any{"path": name, "size": n, "mode": fmt.Sprintf("%04o", mode)})
}

// belongs makes the owner of the sprite's home own a file and the directories above it.
func (s *sprite) belongs(at string) {
	for top := filepath.Join(s.dir, "home"); s.fake.options.RootServices && strings.HasPrefix(at, top+"/"); at = filepath.Dir(at) {
		_ = os.Chown(at, spriteUser, spriteUser)
	}
}

func writeTo(at string, mode fs.FileMode, from io.Reader) (int64, error) {
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return 0, err
	}
	out, err := os.OpenFile(at, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, mode)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(out, from)
	return n, errors.Join(err, out.Chmod(mode), out.Close())
}

func (s *sprite) listFiles(w http.ResponseWriter, r *http.Request) {
	name := r.FormValue("path")
	at, release, ok := s.file(w, r, name)
	if !ok {
		return
	}
	defer release()
	all, err := os.ReadDir(at)
	if err != nil {
		failFile(w, name, err)
		return
	}
	entries := []any{}
	for _, e := range all {
		kind := map[fs.FileMode]string{0: "file", fs.ModeDir: "directory", fs.ModeSymlink: "symlink"}[e.Type()]
		entries = append(entries, map[string]any{"name": e.Name(), "path": path.Join(name, e.Name()), "type": kind, "isDir": e.IsDir()})
	}
	answer(w, http.StatusOK, map[string]any{"path": name, "entries": entries, "count": len(entries)})
}

func (s *sprite) deleteFile(w http.ResponseWriter, r *http.Request) {
	name := r.FormValue("path")
	at, release, ok := s.file(w, r, name)
	if !ok {
		return
	}
	defer release()
	err := os.Remove(at)
	if r.FormValue("recursive") == "true" && err != nil {
		err = removeAll(at)
	}
	if err != nil {
		failFile(w, name, err)
		return
	}
	answer(w, http.StatusOK, map[string]any{"deleted": []string{name}, "count": 1})
}

func (s *sprite) renameFile(w http.ResponseWriter, r *http.Request) {
	var order struct{ Source, Dest string }
	if !read(w, r, &order) {
		return
	}
	from, release, ok := s.file(w, r, order.Source)
	if !ok {
		return
	}
	defer release()
	to := s.host(order.Dest)
	if to == "" {
		failFile(w, order.Dest, fs.ErrPermission)
		return
	}
	if err := os.Rename(from, to); err != nil {
		failFile(w, order.Source, err)
		return
	}
	answer(w, http.StatusOK, map[string]any{"source": order.Source, "dest": order.Dest})
}
