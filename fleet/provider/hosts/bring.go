package hosts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"strconv"
	"strings"

	"ocaptain/fleet/openssh"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/turn"
)

// kind is the operating system and architecture of a host.
type kind struct{ os, arch string }

// kindOf asks a host for its kind, once.
func (p *Provider) kindOf(ctx context.Context, c *openssh.Conn, e Entry) (kind, error) {
	if known, ok := p.machines.Load(e.String()); ok {
		return known.(kind), nil
	}
	out, err := runScript(ctx, c, e, "uname -s && uname -m", nil, nil)
	if err != nil {
		return kind{}, err
	}
	said := strings.Fields(string(out))
	if len(said) != 2 {
		return kind{}, fmt.Errorf("host %s: it prints something unasked: %.100q; its shell's startup files must be silent", e, out)
	}
	k := kind{strings.ToLower(said[0]), map[string]string{"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}[said[1]]}
	if k.os != "linux" || k.arch == "" {
		return kind{}, fmt.Errorf("host %s: ships are Linux on amd64 or arm64, and it is %.40q on %.40q", e, said[0], said[1])
	}
	p.machines.Store(e.String(), k)
	return k, nil
}

// remoteProgram returns the path on a host of the program that fits the host.
func (p *Provider) remoteProgram(ctx context.Context, c *openssh.Conn, e Entry) (string, error) {
	k, err := p.kindOf(ctx, c, e)
	if err != nil {
		return "", err
	}
	_, digest, err := p.options.Program(ctx, k.os, k.arch)
	if err != nil {
		return "", fmt.Errorf("host %s: %w", e, err)
	}
	return path.Join(Root, binaries, "ocaptain-"+digest), nil
}

// putScript writes its input to a temporary file beside the target, and renames that once all input has arrived. Arguments:
// target, directory, size. If the directory was removed meanwhile, together with the last ship of another call, it exits as
// startScript does without a program.
const putScript = `set -e
cd
if [ -x "$1" ]; then exit 0; fi
umask 077
mkdir -p -- "$2"
tmp=
trap 'code=$?; [ -z "$tmp" ] || rm -f -- "$tmp"; [ -d "$2" ] || exit 93; exit $code' EXIT
tmp=$(mktemp -- "$2/.put.XXXXXXXX")
trap 'exit 1' HUP INT TERM PIPE
cat >"$tmp"
if [ "$(wc -c <"$tmp")" -ne "$3" ]; then echo "only a part of the program arrived" >&2; exit 1; fi
chmod 755 "$tmp"
mv -f -- "$tmp" "$1"
`

// bringProgram installs the program on a host. Concurrent calls for the same host wait for the first.
func (p *Provider) bringProgram(ctx context.Context, c *openssh.Conn, e Entry) error {
	v, _ := p.bringing.LoadOrStore(e.String(), turn.New())
	bringing := v.(turn.Turn)
	if err := bringing.Lock(ctx); err != nil {
		return err
	}
	defer bringing.Unlock()
	name, err := p.remoteProgram(ctx, c, e)
	if err != nil {
		return err
	}
	k, err := p.kindOf(ctx, c, e)
	if err != nil {
		return err
	}
	file, _, err := p.options.Program(ctx, k.os, k.arch)
	if err != nil {
		return fmt.Errorf("host %s: %w", e, err)
	}
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("host %s: the program to bring there: %w", e, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	_, err = runScript(ctx, c, e, putScript, []string{name, path.Dir(name), strconv.FormatInt(info.Size(), 10)}, io.LimitReader(f, info.Size()))
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return &provider.Temporary{Err: fmt.Errorf("bring ocaptain's program there: %w", err)}
	}
	return err
}
