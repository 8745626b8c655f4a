// Package program finds the ocaptain program for another operating system or architecture.
package program

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/elf"
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

// Source says where programs may come from.
type Source struct {
	Own     string // file of the running program, in a permanent place
	Digest  string // of its content
	Version string // version of the release, "dev" for no release
	Cache   string // directory of what can be downloaded again: releases are in bin/<version>/ocaptain-<os>-<arch>

	mu    sync.Mutex
	known map[string]found
}

type found struct{ path, digest string }

// building bounds the time for building a program.
const building = 10 * time.Minute

// ProgramFor returns the file of the program for an operating system and architecture, named as Go does, and the
// digest of its content. It is this program if that fits; else a program that Go builds from this program's source, if both
// exist; else the program of the same release in the cache. These files are trusted, since the captain made them.
func (s *Source) ProgramFor(ctx context.Context, goos, goarch string) (path, digest string, err error) {
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
	path, err = s.makeProgram(ctx, goos, goarch)
	if err != nil {
		return "", "", err
	}
	if digest, err = digestOfFile(path); err != nil {
		return "", "", err
	}
	if s.known == nil {
		s.known = map[string]found{}
	}
	s.known[kind] = found{path, digest}
	return path, digest, nil
}

// makeProgram returns a program for another kind of machine, and builds it if necessary.
func (s *Source) makeProgram(ctx context.Context, goos, goarch string) (string, error) {
	built, released := s.builtFile(goos, goarch), s.released(goos, goarch)
	if checkProgram(built, goos, goarch) == nil { // up to date, as its name contains the digest of the running program
		return built, nil
	}
	notBuilt := buildProgram(ctx, built, goos, goarch)
	if notBuilt == nil {
		return built, nil
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err := checkProgram(released, goos, goarch); err != nil {
		return "", s.nowhere(goos, goarch, notBuilt, err)
	}
	return released, nil
}

// SourceFor says where ProgramFor would take a program from, or why it would find none. It builds nothing.
func (s *Source) SourceFor(goos, goarch string) (from string, err error) {
	built, released := s.builtFile(goos, goarch), s.released(goos, goarch)
	if goos == runtime.GOOS && goarch == runtime.GOARCH {
		return "this one", nil
	}
	if checkProgram(built, goos, goarch) == nil {
		return built, nil
	}
	dir, _, err := buildable()
	if err == nil {
		return "built from " + dir + " when it is needed", nil
	}
	if wrong := checkProgram(released, goos, goarch); wrong != nil {
		return "", s.nowhere(goos, goarch, err, wrong)
	}
	return released, nil
}

func (s *Source) builtFile(goos, goarch string) string {
	return filepath.Join(s.Cache, "bin", "built-"+s.Digest, "ocaptain-"+goos+"-"+goarch)
}

func (s *Source) released(goos, goarch string) string {
	return filepath.Join(s.Cache, "bin", s.Version, "ocaptain-"+goos+"-"+goarch)
}

// nowhere returns the error that there is no program. It says what to do.
func (s *Source) nowhere(goos, goarch string, notBuilt, notReleased error) error {
	file := s.released(goos, goarch)
	if !errors.Is(notReleased, fs.ErrNotExist) {
		return fmt.Errorf("there is no ocaptain for %s on %s: %w, and %w; put that of release %s in its place", goos, goarch, notBuilt, notReleased, s.Version)
	}
	return fmt.Errorf("there is no ocaptain for %s on %s: %w; put that of release %s at %s", goos, goarch, notBuilt, s.Version, file)
}

// machines are the architectures that a Linux program may have.
var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// checkProgram returns nil if the file is a program for this kind of machine, judging by its beginning.
func checkProgram(file, goos, goarch string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if goos != "linux" || machines[goarch] == 0 {
		return nil // ships never have another operating system
	}
	if e, err := elf.NewFile(f); err != nil || e.Machine != machines[goarch] {
		return fmt.Errorf("%s is no program for %s on %s", file, goos, goarch)
	}
	return nil
}

func digestOfFile(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return DigestOf(f)
}

// DigestOf returns the first 16 hexadecimal digits of the SHA-256 of a program.
func DigestOf(r io.Reader) (string, error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

// source returns the directory of the source that this program was built from, if it still exists.
func source() (string, error) {
	_, file, _, _ := runtime.Caller(0)
	dir := filepath.Dir(filepath.Dir(filepath.Dir(file)))
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || !filepath.IsAbs(dir) || !bytes.HasPrefix(mod, []byte("module ocaptain\n")) {
		return "", errors.New("its source is not here to build it")
	}
	return dir, nil
}

// buildable returns the directory of the source and the Go compiler. The error says what is missing.
func buildable() (dir, compiler string, err error) {
	if dir, err = source(); err != nil {
		return "", "", err
	}
	if compiler, err = exec.LookPath("go"); err != nil {
		return "", "", errors.New("Go is not here to build it") //nolint:staticcheck // a name
	}
	return dir, compiler, nil
}

// buildProgram builds a program from the source. The file appears only once it is complete.
func buildProgram(ctx context.Context, file, goos, goarch string) error {
	dir, compiler, err := buildable()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
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
