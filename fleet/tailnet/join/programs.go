package join

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Version is the Tailscale that a ship without one gets.
const Version = "1.102.5"

// tarballs is where Tailscale keeps its programs, each archive with its digest beside it.
const tarballs = "https://pkgs.tailscale.com/stable"

// Bounds of what is fetched.
const (
	archiveMax = 100 << 20
	programMax = 200 << 20
	fetchTime  = 2 * time.Minute
)

// programs are the files of Tailscale's two programs.
type programs struct {
	daemon, command string
}

// programs finds those that are on the ship, or brings them there.
func (b *berth) programs(ctx context.Context) (programs, error) {
	own := programs{b.path("bin/tailscaled"), b.path("bin/tailscale")}
	if isProgram(own.daemon) && isProgram(own.command) {
		return own, nil
	}
	if p := (programs{find("tailscaled"), find("tailscale")}); p.daemon != "" && p.command != "" {
		return p, nil
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	if err := b.fetch(ctx); err != nil {
		return programs{}, fmt.Errorf("fetch Tailscale: %w", err)
	}
	return own, nil
}

// find looks for a program in PATH and where daemons lie, which is not in everybody's PATH.
func find(name string) string {
	if p, err := exec.LookPath(name); err == nil {
		return p
	}
	for _, dir := range []string{"/usr/sbin", "/usr/local/sbin", "/usr/local/bin"} {
		if p := filepath.Join(dir, name); isProgram(p) {
			return p
		}
	}
	return ""
}

func isProgram(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

// fetch brings Tailscale's archive for this machine here, checks and unpacks it.
func (b *berth) fetch(ctx context.Context) error {
	address := fmt.Sprintf("%s/tailscale_%s_%s.tgz", strings.TrimRight(cmp.Or(b.order.Tarballs, tarballs), "/"), Version, runtime.GOARCH)
	var digest bytes.Buffer
	if err := get(ctx, address+".sha256", 1<<10, &digest); err != nil {
		return err
	}
	want, err := hex.DecodeString(strings.TrimSpace(digest.String()))
	if err != nil || len(want) != sha256.Size {
		return fmt.Errorf("%s.sha256 has no digest in it", address)
	}
	f, err := os.CreateTemp(b.path(""), "fetch-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	sum := sha256.New()
	if err := get(ctx, address, archiveMax, io.MultiWriter(f, sum)); err != nil {
		return err
	}
	if !bytes.Equal(sum.Sum(nil), want) {
		return fmt.Errorf("%s is not what its digest says", address)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return b.unpack(f)
}

// get writes what is at an address.
func get(ctx context.Context, address string, most int64, to io.Writer) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", address, answer.Status)
	}
	n, err := io.Copy(to, io.LimitReader(answer.Body, most+1))
	if err == nil && n > most {
		err = errors.New("it is too large")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", address, err)
	}
	return nil
}

// unpack takes the two programs out of an archive, each whole or not at all.
func (b *berth) unpack(archive io.Reader) error {
	if err := os.MkdirAll(b.path("bin"), 0o700); err != nil {
		return err
	}
	z, err := gzip.NewReader(archive)
	if err != nil {
		return err
	}
	found := map[string]bool{}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		name := filepath.Base(h.Name)
		if h.Typeflag != tar.TypeReg || name != "tailscale" && name != "tailscaled" {
			continue
		}
		if err := keep(b.path("bin/"+name), t); err != nil {
			return err
		}
		found[name] = true
	}
	if len(found) != 2 {
		return errors.New("the archive lacks one of its programs")
	}
	return nil
}

// keep writes a program.
func keep(name string, from io.Reader) error {
	f, err := os.CreateTemp(filepath.Dir(name), "new-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	n, err := io.Copy(f, io.LimitReader(from, programMax+1))
	if err == nil && n > programMax {
		err = errors.New("it is too large")
	}
	if err := errors.Join(err, f.Chmod(0o755), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
