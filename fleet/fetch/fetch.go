package fetch

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Longest bounds the time for one archive, including the wait while another process downloads it.
const Longest = 10 * time.Minute

// part starts the names of unfinished directories.
const part = ".part-"

// SumError means that a download does not have the expected digest.
type SumError struct {
	Archive Archive
	From    string
	Got     string
}

func (e *SumError) Error() string {
	return fmt.Sprintf("%s from %s is not what ocaptain knows: its sum must be %s and is %s; nothing of it was used; "+
		"ask who serves it, or name another registry in npm_config_registry", e.Archive, e.From, e.Archive.Sum, e.Got)
}

// Get returns the directory below root with the unpacked archive, and downloads the archive if it is missing. Other
// users may read the directory. Get calls say, unless it is nil, with the number of bytes that have arrived, and of
// all bytes, -1 if the server does not say.
func Get(ctx context.Context, a Archive, root string, say func(done, all int64)) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, Longest)
	defer cancel()
	name, err := a.dirName()
	if err != nil {
		return "", err
	}
	dir, have := a.Unpacked(root)
	if have {
		return dir, nil
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return "", err
	}
	lock := flock.New(filepath.Join(root, "."+name+".lock"))
	if _, err := lock.TryLockContext(ctx, 100*time.Millisecond); err != nil {
		return "", fmt.Errorf("%s: wait for another process that fetches it: %w", a, err)
	}
	defer func() { _ = lock.Close() }()
	if _, have := a.Unpacked(root); have {
		return dir, nil
	}
	scratch := filepath.Join(root, part+name)
	if err := os.RemoveAll(scratch); err != nil { // left behind by a killed process
		return "", err
	}
	defer os.RemoveAll(scratch)
	if err := os.Mkdir(scratch, 0o755); err != nil {
		return "", err
	}
	if err := a.fetchInto(ctx, scratch, say); err != nil {
		return "", fmt.Errorf("fetch %s: %w", a, err)
	}
	if err := os.Rename(filepath.Join(scratch, "whole"), dir); err != nil {
		return "", err
	}
	return dir, syncDir(root)
}

// fetchInto downloads, checks and unpacks the archive into an empty directory.
func (a Archive) fetchInto(ctx context.Context, scratch string, say func(done, all int64)) error {
	from, err := a.address()
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(scratch, "archive"), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	sum, want, err := a.digest()
	if err != nil {
		return err
	}
	err = download(ctx, from, say, func() (io.Writer, error) {
		sum.Reset()
		_, err := f.Seek(0, io.SeekStart)
		return io.MultiWriter(f, sum), errors.Join(err, f.Truncate(0))
	})
	if err != nil {
		return err
	}
	if got := sum.Sum(nil); !bytes.Equal(got, want) {
		kind, _, _ := strings.Cut(a.Sum, "-")
		return &SumError{a, from.Redacted(), kind + "-" + base64.StdEncoding.EncodeToString(got)}
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	whole := filepath.Join(scratch, "whole")
	if err := os.Mkdir(whole, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(whole)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := unpack(&cancelled{ctx, f}, root, most); err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	return syncDir(whole)
}

// cancelled is a reader that fails once ctx has ended.
type cancelled struct {
	ctx  context.Context
	from io.Reader
}

func (c *cancelled) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.from.Read(p)
}

func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
