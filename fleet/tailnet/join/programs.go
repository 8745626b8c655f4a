package join

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ocaptain/fleet/fetch"
)

// Version is the version of Tailscale that a ship without one gets.
const Version = "1.102.5"

// sums are the digests that Tailscale publishes for its archives, by architecture, named as Go does.
var sums = map[string]string{
	"amd64": "sha256-ZebX8ZrX4ch9IMKiHpLzipZ5XLiXr1SwRTZZDhwUjRI=",
	"arm64": "sha256-YNYBCeM9CXMYxmrcHxtOeOUo+hwDV+i/6Cr5nyGhi4k=",
}

// tarballs is the URL of Tailscale's archives.
const tarballs = "https://pkgs.tailscale.com/stable"

// Archive returns the archive with Tailscale's programs for an architecture. place is another URL, "" for Tailscale's
// own; if the archive there is not Tailscale's, the URL has the digest after a "#".
func Archive(place, arch string) fetch.Archive {
	place, sum, own := strings.Cut(place, "#")
	if !own {
		sum = sums[arch]
	}
	return fetch.Archive{
		Name: "tailscale", Version: Version, Sum: sum,
		Address: fmt.Sprintf("%s/tailscale_%s_%s.tgz", strings.TrimRight(cmp.Or(place, tarballs), "/"), Version, arch),
	}
}

// fetchTime bounds the download.
const fetchTime = 2 * time.Minute

// programs are the paths of Tailscale's two programs.
type programs struct {
	daemon, command string
}

// programs finds the programs on the ship, or downloads them.
func (b *berth) programs(ctx context.Context) (programs, error) {
	own := programs{b.pathOf("bin/tailscaled"), b.pathOf("bin/tailscale")}
	if isProgram(own.daemon) && isProgram(own.command) {
		return own, nil
	}
	if p := (programs{findProgram("tailscaled"), findProgram("tailscale")}); p.daemon != "" && p.command != "" {
		return p, nil
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	for _, name := range []string{own.daemon, own.command} {
		p := fetch.Program{Archive: b.order.Tailscale, File: filepath.Base(name)}
		file, err := p.Get(ctx, b.pathOf("programs"), nil)
		if err != nil {
			return programs{}, err
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.RemoveAll(name), os.Symlink(file, name)); err != nil {
			return programs{}, err
		}
	}
	return own, nil
}

// findProgram looks for a program in PATH and in the directories of daemons, which are not in every user's PATH.
func findProgram(name string) string {
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
