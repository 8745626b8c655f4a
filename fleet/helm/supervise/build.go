package supervise

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/google/renameio/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/program"
	"ocaptain/sync/whole"
)

// Version is the version of the release. The build sets it.
var Version = "dev"

// Binary is a copy of ocaptain's own program in a permanent place, since helm outlives the directory of "go run", and
// an upgrade of the package that it was started from.
type Binary struct {
	Path   string    // <state>/bin/ocaptain-<digest>
	Digest string    // of its content, 16 hexadecimal digits
	Made   time.Time // when it was built, according to its file
}

// hashed is the digest of the running program. A process asks for it several times, and computing it takes 20 ms.
var hashed digest

type digest struct {
	mu   sync.Mutex
	info fs.FileInfo // of the file whose content has the digest
	text string
}

// of returns the digest of what src reads from the file info. It reads nothing if it has computed the digest of that file last.
func (d *digest) of(src io.Reader, info fs.FileInfo) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.info != nil && os.SameFile(d.info, info) && d.info.Size() == info.Size() && d.info.ModTime().Equal(info.ModTime()) {
		return d.text, nil
	}
	text, err := program.DigestOf(src)
	if err == nil {
		d.info, d.text = info, text
	}
	return text, err
}

// OwnBinary copies the running program to its permanent place, unless it is there already.
func OwnBinary(h fleet.Hub) (Binary, error) {
	exe, err := os.Executable()
	if err != nil {
		return Binary{}, err
	}
	src, err := os.Open(exe)
	if err != nil {
		return Binary{}, fmt.Errorf("own program: %w", err)
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return Binary{}, fmt.Errorf("own program: %w", err)
	}
	dir := filepath.Join(h.State, "bin")
	if digest, ok := strings.CutPrefix(filepath.Base(exe), "ocaptain-"); ok && filepath.Dir(exe) == dir {
		return Binary{exe, digest, info.ModTime()}, nil
	}
	digest, err := hashed.of(src, info)
	if err != nil {
		return Binary{}, err
	}
	b := Binary{filepath.Join(dir, "ocaptain-"+digest), digest, info.ModTime()}
	if have, err := os.Stat(b.Path); err == nil && have.Size() == info.Size() && have.Mode().Perm() == 0o755 {
		b.Made = have.ModTime()
		return b, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Binary{}, err
	}
	if _, err := src.Seek(0, io.SeekStart); err != nil {
		return Binary{}, err
	}
	dst, err := renameio.NewPendingFile(b.Path, renameio.WithStaticPermissions(0o755), whole.Beside(b.Path))
	if err != nil {
		return Binary{}, err
	}
	defer func() { _ = dst.Cleanup() }()
	if _, err := io.Copy(dst, src); err != nil {
		return Binary{}, err
	}
	if err := dst.CloseAtomicallyReplace(); err != nil {
		return Binary{}, err
	}
	return b, os.Chtimes(b.Path, b.Made, b.Made)
}
