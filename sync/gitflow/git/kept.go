package git

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	stdsync "sync"
	"time"

	"ocaptain/sync/bounded"
)

// Kept are git processes that go on from one question to the next: to start git for each would be most of what a checkout
// costs. They see refs and objects as they are when they are asked. Close them after use.
type Kept struct {
	objects process // answers questions about objects
	refs    process // changes refs
}

// NewKept returns processes that start when they are needed.
func NewKept() *Kept {
	return &Kept{
		objects: process{args: []string{"cat-file", "--batch-command"}, tries: 2, limit: hangTime},
		refs:    process{args: []string{"update-ref", "-m", "ocaptain", "--stdin"}, tries: 1, age: refsAge, limit: hangTime},
	}
}

// Close ends the processes once all callers are done.
func (k *Kept) Close() {
	k.objects.close()
	k.refs.close()
}

// hangTime is how long a conversation with a git may take. Most take a millisecond.
const hangTime = time.Minute

// refsAge is how long one git changes refs: it dates all that it writes in reflogs with the time of its first change.
const refsAge = 10 * time.Second

// process is a git that answers on its standard output what it reads on its standard input.
type process struct {
	args  []string
	tries int
	age   time.Duration // after which another one takes its place, 0 for never
	limit time.Duration // for one conversation

	mu    stdsync.Mutex
	cmd   *exec.Cmd // nil while none runs
	in    io.WriteCloser
	out   *bufio.Reader
	said  *bounded.End // on its standard error
	began time.Time
	of    place
}

// place is what a git has read of a repository when it began, and does not read again.
type place struct{ gitDir, packs fs.FileInfo }

func placeOf(r Repo) (p place) {
	p.gitDir, _ = os.Stat(r.GitDir)
	p.packs, _ = os.Stat(r.Path("objects", "pack"))
	return p
}

// isSame reports whether the repository is the same with the same packs. A git may have read from a pack that is gone.
func (p place) isSame(now place) bool {
	for _, pair := range [][2]fs.FileInfo{{p.gitDir, now.gitDir}, {p.packs, now.packs}} {
		if pair[0] == nil || pair[1] == nil || !os.SameFile(pair[0], pair[1]) {
			return false
		}
	}
	return p.packs.ModTime().Equal(now.packs.ModTime())
}

// converse has one conversation with the git. When that fails the git is replaced: somebody may have killed it.
func (p *process) converse(ctx context.Context, r Repo, talk func() error) (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil && (!p.of.isSame(placeOf(r)) || p.age > 0 && time.Since(p.began) > p.age) {
		_ = p.end()
	}
	for range p.tries {
		if err = context.Cause(ctx); err != nil {
			return err
		}
		if err = p.once(ctx, r, talk); err == nil {
			return nil
		}
	}
	return err
}

func (p *process) once(ctx context.Context, r Repo, talk func() error) error {
	if p.cmd == nil {
		if err := p.start(r); err != nil {
			return &Error{Verb: p.args[0], Err: err}
		}
	}
	running := p.cmd.Process
	limit, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	stop := context.AfterFunc(limit, func() { _ = running.Kill() })
	defer stop()
	err := talk()
	if err == nil {
		return nil
	}
	if ended := p.end(); ended != nil {
		err = ended
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if _, gone := os.Stat(r.GitDir); gone != nil {
		err = errors.Join(err, gone)
	}
	return &Error{Verb: p.args[0], Said: tellingLine(p.said.String()), Err: err}
}

func (p *process) start(r Repo) error {
	r.Hold = nil // it may outlive the lock
	cmd := r.command(context.Background(), p.args...)
	cmd.Dir = "/" // outside the tree, so that other programs don't take it for a git at work there
	said := bounded.NewEnd(4096)
	cmd.Stderr = said
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	began, of := time.Now(), placeOf(r)
	if err := cmd.Start(); err != nil {
		return err
	}
	p.cmd, p.in, p.out, p.said, p.began, p.of = cmd, in, bufio.NewReaderSize(out, 64<<10), said, began, of
	return nil
}

// end ends the git, and says how it came to its end. The next conversation starts another.
func (p *process) end() error {
	if p.cmd == nil {
		return nil
	}
	_ = p.in.Close()
	_ = p.cmd.Process.Kill()
	err := p.cmd.Wait()
	p.cmd = nil
	return err
}

func (p *process) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.end()
}

// changeRefs makes one transaction of commands of "git update-ref --stdin".
func (k *Kept) changeRefs(ctx context.Context, r Repo, lines []string) error {
	p := &k.refs
	return p.converse(ctx, r, func() error {
		if _, err := io.WriteString(p.in, "start\n"+strings.Join(lines, "\n")+"\nprepare\ncommit\n"); err != nil {
			return err
		}
		for range 3 { // git says "ok" to each command, or at its end why not
			if _, err := p.out.ReadString('\n'); err != nil {
				return err
			}
		}
		return nil
	})
}

// rest ends a git that is changing no refs now, and else would be taken for the owner of any lock.
func (k *Kept) rest() {
	if k != nil {
		k.refs.close()
	}
}
