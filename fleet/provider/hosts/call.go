package hosts

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"ocaptain/fleet/link"
	"ocaptain/fleet/openssh"
	"ocaptain/fleet/provider"
	"ocaptain/sync/bounded"
)

// dialTime is how long Dial may take: a login, and two commands on a host whose shell starts slowly.
const dialTime = time.Minute

// maxAnswer bounds an answer of a host, in bytes.
const maxAnswer = 8 << 20

// startScript runs ocaptain's program on a host, if it is installed. Arguments: its path, the directory of the ships,
// and its purpose: to make a ship, to end one, or to look. If the host has no ship, it answers without the program,
// which a host with a full disk could not get.
const startScript = `cd || exit 1
if [ "$3" != make ]; then
	ship=
	for d in "$2"/*/; do [ -d "$d" ] && ship=$d; done
	if [ -z "$ship" ] && ! { [ "$3" = end ] && [ -x "$1" ]; }; then
		[ "$3" = end ] && rmdir "$2"/.bin "$2" "$2"/.. 2>/dev/null
		exit 94
	fi
fi
[ -x "$1" ] || exit 93
exec "$1" aboard hosted
`

// The exit codes of startScript.
const (
	noProgram = 93
	noShips   = 94
)

// callHost sends a request to a host and returns the answer.
func (p *Provider) callHost(ctx context.Context, e Entry, what request) (answer, error) {
	c, err := p.captain.Connect(ctx, e.loginPlace())
	if err != nil {
		return answer{}, err
	}
	defer c.Close()
	return p.callOver(ctx, c, e, what)
}

// callOver sends a request over a connection. It installs the program when that is needed; another call may remove it
// again together with the last ship.
func (p *Provider) callOver(ctx context.Context, c *openssh.Conn, e Entry, what request) (answer, error) {
	for range 3 {
		name, err := p.remoteProgram(ctx, c, e)
		if err != nil {
			return answer{}, err
		}
		may := "look"
		switch what.Do {
		case doCreate:
			may = "make"
		case doDestroy:
			may = "end"
		}
		a, err := p.callOnce(ctx, c, e, []string{name, Root, may}, what)
		var exit *exec.ExitError
		switch {
		case !errors.As(err, &exit):
			return a, err
		case exit.ExitCode() == noShips && what.Do == doList:
			return answer{}, nil
		case exit.ExitCode() == noShips:
			return answer{}, fmt.Errorf("ship %s on host %s: %w", what.Name, e, provider.ErrNotFound)
		case exit.ExitCode() != noProgram:
			return a, err
		}
		if err := p.bringProgram(ctx, c, e); errors.As(err, &exit) && exit.ExitCode() == noProgram {
			continue
		} else if err != nil {
			return answer{}, err
		}
	}
	return answer{}, &provider.Temporary{Err: fmt.Errorf("host %s: ocaptain's program vanishes from there again and again", e)}
}

// callOnce sends a request to the program and reads the answer.
func (p *Provider) callOnce(ctx context.Context, c *openssh.Conn, e Entry, args []string, what request) (answer, error) {
	raw, err := json.Marshal(what)
	if err != nil {
		return answer{}, err
	}
	// The input stays open: its end tells the host that the caller has left.
	in, hold := io.Pipe()
	defer hold.Close()
	go func() { _, _ = hold.Write(append(raw, '\n')) }()
	out, err := runScript(ctx, c, e, startScript, args, in)
	if err != nil {
		return answer{}, err
	}
	var a answer
	if err := json.Unmarshal(out, &a); err != nil {
		return a, fmt.Errorf("host %s: its answer makes no sense: %.200q", e, out)
	}
	return a, a.checkAnswer(e, what)
}

// runScript runs a script in the home directory of a host and returns its output. If the script fails, the error
// wraps an *exec.ExitError.
func runScript(ctx context.Context, c *openssh.Conn, e Entry, script string, args []string, in io.Reader) ([]byte, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := bounded.Refuse(maxAnswer)
	said, err := c.Run(ctx, shellCommand(script, args), in, endless{out, cancel})
	var exit *exec.ExitError
	switch {
	case out.IsOver():
		return nil, fmt.Errorf("host %s: it answers without end", e)
	case errors.As(err, &exit):
		return nil, fmt.Errorf("host %s: %s (%w)", e, openssh.ShortLine(said), err)
	case err != nil:
		return nil, err
	}
	return out.Bytes(), nil
}

// shellCommand returns the command by which the login shell runs a script in sh. The login shell may be any, and not all can quote
// a newline or an exclamation mark.
func shellCommand(script string, args []string) string {
	coded := base64.StdEncoding.EncodeToString([]byte(script))
	words := []string{"exec", "/bin/sh", "-c", `'s=$(echo ` + coded + ` | base64 -d) || exit 1; eval "$s"'`, "hosted"}
	for _, a := range args {
		words = append(words, link.Quote(a))
	}
	return strings.Join(words, " ")
}

// endless is a writer that ends a program which prints too much.
type endless struct {
	*bounded.Output
	end context.CancelCauseFunc
}

func (e endless) Write(p []byte) (int, error) {
	n, err := e.Output.Write(p)
	if err != nil {
		e.end(err)
	}
	return n, err
}
