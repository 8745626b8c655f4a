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

// Kept are long-running git processes: to start a git for each question would be most of the cost of a checkout. They
// answer from refs and objects as they are at the time of the question. Close them after use.
type Kept struct {
	objects process // answers questions about objects
	refs    process // changes refs
}

// NewKept returns processes that start at their first use.
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

// hangTime bounds one exchange with a git process. Most take a millisecond.
const hangTime = time.Minute

// refsAge bounds the life of the git that changes refs: it writes the time of its first change into all its reflog
// entries.
const refsAge = 10 * time.Second

// process is a git that reads commands from its standard input and answers on its standard output.
type process struct {
	args  []string
	tries int
	age   time.Duration // age at which a new process replaces it, 0 for no bound
	limit time.Duration // for one exchange

	mu    stdsync.Mutex
	cmd   *exec.Cmd // nil while none runs
	in    io.WriteCloser
	out   *bufio.Reader
	said  *bounded.End // end of its standard error
	began time.Time
	of    place
}

// place identifies the git directory and its packs as they were when a git started, since git does not read them
// again.
type place struct{ gitDir, packs fs.FileInfo }

func placeOf(r Repo) (p place) {
	p.gitDir, _ = os.Stat(r.GitDir)
	p.packs, _ = os.Stat(r.Path("objects", "pack"))
	return p
}

// isSame reports whether git directory and packs are unchanged. If not, the git may use a pack that no longer exists.
func (p place) isSame(now place) bool {
	for _, pair := range [][2]fs.FileInfo{{p.gitDir, now.gitDir}, {p.packs, now.packs}} {
		if pair[0] == nil || pair[1] == nil || !os.SameFile(pair[0], pair[1]) {
			return false
		}
	}
	return p.packs.ModTime().Equal(now.packs.ModTime())
}

// converse calls talk, which exchanges one command and answer with the git. If talk fails, converse starts a new git
// and tries again, up to p.tries: the git may have been killed.
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
	r.Hold = nil // this git may live longer than the lock is held
	cmd := r.command(context.Background(), p.args...)
	cmd.Dir = "/" // outside the tree, so that holders.GitAtWork does not count it
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

// end ends the git and returns its exit error. The next exchange starts a new git.
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

// changeRefs runs commands of "git update-ref --stdin" as one transaction.
func (k *Kept) changeRefs(ctx context.Context, r Repo, lines []string) error {
	p := &k.refs
	return p.converse(ctx, r, func() error {
		if _, err := io.WriteString(p.in, "start\n"+strings.Join(lines, "\n")+"\nprepare\ncommit\n"); err != nil {
			return err
		}
		for range 3 { // git answers "ok" to start, prepare and commit, or ends with an error
			if _, err := p.out.ReadString('\n'); err != nil {
				return err
			}
		}
		return nil
	})
}

// rest ends the idle git for refs: while it runs, any lock would seem to have a living owner.
func (k *Kept) rest() {
	if k != nil {
		k.refs.close()
	}
}
