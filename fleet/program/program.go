// Package program finds ocaptain's own program for another kind of machine.
package program

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// Source says where programs come from.
type Source struct {
	Own     string // file of the running program, which stays
	Digest  string // of its content
	Version string // of the release, "dev" when it is none
	Cache   string // what can be fetched again: releases are in bin/<version>/ocaptain-<os>-<arch>

	mu    sync.Mutex
	known map[string]found
}

type found struct{ path, digest string }

// building bounds how long building a program may take.
const building = 10 * time.Minute

// For returns the file of the program for an operating system and architecture as Go names them,
// and the digest of its content: the own program where it fits, else one of the same release from
// the cache, else one that is built from the source that the own one was built from, where that
// and Go are present. What is there was made by the captain, and is trusted.
func (s *Source) For(ctx context.Context, goos, goarch string) (path, digest string, err error) {
	if goos == runtime.GOOS && goarch == runtime.GOARCH {
		return s.Own, s.Digest, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	kind := goos + "-" + goarch
	if f, ok := s.known[kind]; ok {
		if _, err := os.Stat(f.path); err == nil {
			return f.path, f.digest, nil
		}
	}
	released := filepath.Join(s.Cache, "bin", s.Version, "ocaptain-"+kind)
	built := filepath.Join(s.Cache, "bin", "built-"+s.Digest, "ocaptain-"+kind)
	for _, path = range []string{released, built} {
		if digest, err = digestOf(path); err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", "", err
		}
	}
	if err != nil {
		if e := build(ctx, built, goos, goarch); e != nil {
			return "", "", fmt.Errorf("there is no ocaptain for %s on %s: %w; put that of release %s at %s", goos, goarch, e, s.Version, released)
		}
		if digest, err = digestOf(built); err != nil {
			return "", "", err
		}
	}
	if s.known == nil {
		s.known = map[string]found{}
	}
	s.known[kind] = found{path, digest}
	return path, digest, nil
}

func digestOf(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

// source is where this program was built, if that is still there.
func source() (string, error) {
	_, file, _, _ := runtime.Caller(0)
	dir := filepath.Dir(filepath.Dir(filepath.Dir(file)))
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || !filepath.IsAbs(dir) || !bytes.HasPrefix(mod, []byte("module ocaptain\n")) {
		return "", errors.New("its source is not here to build it")
	}
	return dir, nil
}

// build makes a program of the source. It appears under its name when it is whole.
func build(ctx context.Context, file, goos, goarch string) error {
	dir, err := source()
	if err != nil {
		return err
	}
	compiler, err := exec.LookPath("go")
	if err != nil {
		return errors.New("Go is not here to build it") //nolint:staticcheck // a name
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp(filepath.Dir(file), ".build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	ctx, cancel := context.WithTimeout(ctx, building)
	defer cancel()
	out := filepath.Join(scratch, "ocaptain")
	cmd := exec.CommandContext(ctx, compiler, "build", "-trimpath", "-o", out, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	cmd.WaitDelay = time.Second
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %.300s", err, bytes.TrimSpace(said))
	}
	return os.Rename(out, file)
}
