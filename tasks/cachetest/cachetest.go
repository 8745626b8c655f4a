// Package cachetest installs programs that tests need once for all tests on a machine, as that takes minutes.
package cachetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Program returns the path of a program, installed once for each version below root. If it is missing, make installs
// it into a new directory below scratch and returns that directory. Other test binaries wait meanwhile.
func Program(ctx context.Context, root, name, version string, make func(ctx context.Context, scratch string) (dir string, err error)) (string, error) {
	path := filepath.Join(root, version, name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return "", fmt.Errorf("make %s cache: %w", name, err)
	}
	lock := flock.New(filepath.Join(root, version+".lock"))
	if _, err := lock.TryLockContext(ctx, 100*time.Millisecond); err != nil {
		return "", fmt.Errorf("lock %s cache: %w", name, err)
	}
	defer func() { _ = lock.Close() }()
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, err // another test binary has installed it
	}
	scratch := filepath.Join(root, "fetch-"+version)
	if err := os.RemoveAll(scratch); err != nil { // left by an attempt that was killed
		return "", fmt.Errorf("clear %s cache: %w", name, err)
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	dir, err := make(ctx, scratch)
	if err != nil {
		return "", err
	}
	if err := os.Rename(dir, filepath.Dir(path)); err != nil {
		return "", fmt.Errorf("keep %s %s: %w", name, version, err)
	}
	return path, nil
}
