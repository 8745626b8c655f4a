package sprites

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet/aboard/sshd"
)

// programDir is the directory of ocaptain's program on a ship. Provisioning uses the same directory and name for
// this content, so that the program is uploaded only once.
const programDir = ".ocaptain/bin/"

// program is the program for sprites.
type program struct {
	file, name string // name is its name on the sprite
}

// programFor returns the program for a sprite of that architecture.
func (p *Provider) programFor(ctx context.Context, arch string) (program, error) {
	if p.options.Program == nil {
		return program{}, errors.New("there is no ocaptain for sprites here")
	}
	file, digest, err := p.options.Program(ctx, "linux", arch)
	return program{file, "ocaptain-" + digest}, err
}

// inside is what a sprite reports about itself.
type inside struct {
	home, arch string
	programs   []string // names of the executable files in programDir
	hasKey     bool
}

// installServer installs and starts the SSH server of a sprite, and returns once it answers. Repeating it changes
// only who may log in; if authorized is nil, that does not change either.
func (p *Provider) installServer(ctx context.Context, name string, authorized []byte) error {
	in, err := p.lookInside(ctx, name)
	if err != nil {
		return err
	}
	own, err := p.programFor(ctx, in.arch)
	if err != nil {
		return spriteError(name, err)
	}
	if !slices.Contains(in.programs, own.name) {
		if err := p.upload(ctx, name, in.home, own); err != nil {
			return spriteError(name, err)
		}
	}
	switch {
	case authorized != nil:
		err = p.putFile(ctx, name, in.home+"/"+sshd.StandingKeys, 0o600, bytes.NewReader(authorized), int64(len(authorized)))
	case !in.hasKey:
		err = errors.New("it has lost its files: replace the ship")
	}
	if err != nil {
		return spriteError(name, err)
	}
	if err := p.startServer(ctx, name, in.home, own); err != nil {
		return spriteError(name, err)
	}
	return p.untilGreets(ctx, name)
}

// lookScript prints the home directory, the system and the architecture, and a line for each file in programDir.
const lookScript = `cd && pwd -P && uname -s && uname -m
for f in ` + programDir + `ocaptain-*; do [ -x "$f" ] && echo "${f##*/}"; done
[ -s ` + sshd.StandingKeys + ` ] && echo key; :`

// lookInside runs lookScript on a sprite.
func (p *Provider) lookInside(ctx context.Context, name string) (inside, error) {
	out, err := p.runCommand(ctx, name, "bash", "-lc", lookScript)
	if err != nil {
		return inside{}, err
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) < 3 || !isPath(lines[0]) {
		return inside{}, fmt.Errorf("sprite %s tells of itself what makes no sense: %.100q", name, out)
	}
	in := inside{home: lines[0], arch: map[string]string{"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}[lines[2]]}
	if lines[1] != "Linux" || in.arch == "" {
		return inside{}, fmt.Errorf("sprite %s: ships are Linux on amd64 or arm64, and it is %.40q on %.40q", name, lines[1], lines[2])
	}
	in.hasKey = slices.Contains(lines[3:], "key")
	in.programs = slices.DeleteFunc(lines[3:], func(l string) bool { return l == "key" })
	return in, nil
}

// upload writes ocaptain's program to the sprite, atomically.
func (p *Provider) upload(ctx context.Context, name, home string, own program) error {
	f, err := os.Open(own.file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	whole := home + "/" + programDir + own.name
	part := whole + "." + strings.ToLower(rand.Text()[:8])
	if err := p.putFile(ctx, name, part, 0o755, f, info.Size()); err != nil {
		return fmt.Errorf("bring ocaptain there: %w", err)
	}
	err = p.attempt(ctx, call{
		method: http.MethodPost, path: spritePath(name, "fs", "rename"), once: true,
		json: map[string]any{"source": part, "dest": whole, "workingDir": "/"},
	})
	if err == nil {
		return nil
	}
	// The answer may have been lost, or another process was faster.
	if in, e := p.lookInside(ctx, name); e == nil && slices.Contains(in.programs, own.name) {
		return nil
	}
	return fmt.Errorf("bring ocaptain there: %w", err)
}

// putFile writes a file on the sprite.
func (p *Provider) putFile(ctx context.Context, name, file string, mode os.FileMode, content io.ReadSeeker, size int64) error {
	return p.do(ctx, call{
		method: http.MethodPut, path: spritePath(name, "fs", "write"), file: content, size: size,
		query: url.Values{"path": {file}, "workingDir": {"/"}, "mode": {fmt.Sprintf("%04o", mode)}, "mkdirParents": {"true"}},
	})
}

// serviceName is the name of the SSH server among the sprite's services.
const serviceName = "ocaptain-sshd"

// service is a program that the platform starts whenever the sprite comes back.
type service struct {
	Cmd   string   `json:"cmd"`
	Args  []string `json:"args"`
	State struct {
		Status string `json:"status"`
	} `json:"state,omitzero"`
}

// startServer makes the SSH server a service of the sprite, unless one is running: one of an older ocaptain works
// too, and the agent may be its child. The login shell sets the PATH that agents expect.
func (p *Provider) startServer(ctx context.Context, name, home string, own program) error {
	at := spritePath(name, "services", serviceName)
	var now service
	err := p.do(ctx, call{method: http.MethodGet, path: at, out: &now})
	if err != nil && !isMissing(err) {
		return fmt.Errorf("ask for its SSH server: %w", err)
	}
	if err == nil && (now.State.Status == "running" || now.State.Status == "starting") && p.awaitServer(ctx, name) {
		return nil
	}
	want := service{Cmd: "/bin/bash", Args: []string{"-lc", "cd " + home + " && HOME=" + home + " exec " + programDir + own.name + " aboard standing-sshd"}}
	if isMissing(err) || now.Cmd != want.Cmd || !reflect.DeepEqual(now.Args, want.Args) {
		err = p.do(ctx, call{method: http.MethodPut, path: at, query: url.Values{"duration": {"200ms"}}, json: want, events: true})
	} else {
		err = p.do(ctx, call{method: http.MethodPost, path: at + "/restart", query: url.Values{"duration": {"200ms"}}, events: true})
	}
	if err != nil {
		return fmt.Errorf("start its SSH server: %w", err)
	}
	return nil
}

// awaitServer waits a moment for an SSH server that was started before, and reports whether it answers.
func (p *Provider) awaitServer(ctx context.Context, name string) bool {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return p.untilGreets(ctx, name) == nil
}
