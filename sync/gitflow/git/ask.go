package git

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	stdsync "sync"
)

// Resolver is one git process that tells what names and expressions stand for, question after question: starting git for
// each would be most of what a checkout costs. It sees refs and objects as they are when it is asked.
type Resolver struct {
	mu  stdsync.Mutex
	cmd *exec.Cmd // nil while none runs
	in  io.WriteCloser
	out *bufio.Reader
}

// query answers like Resolve, in the repository of r.
func (a *Resolver) query(ctx context.Context, r Repo, exprs []string) (answers []string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if answers, err = a.queryOnce(ctx, r, exprs); err != nil && context.Cause(ctx) == nil {
		answers, err = a.queryOnce(ctx, r, exprs) // somebody killed it
	}
	return answers, err
}

func (a *Resolver) queryOnce(ctx context.Context, r Repo, exprs []string) (answers []string, err error) {
	if a.cmd == nil {
		if err := a.start(r); err != nil {
			return nil, fmt.Errorf("git cat-file: %w", err)
		}
	}
	process := a.cmd.Process
	stop := context.AfterFunc(ctx, func() { _ = process.Kill() })
	defer stop()
	defer func() {
		if err != nil {
			a.end()
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
		}
	}()
	for _, expr := range exprs { // one at a time: neither side can fill a pipe that the other does not read
		if _, err := io.WriteString(a.in, expr+"\n"); err != nil {
			return nil, fmt.Errorf("git cat-file: %w", err)
		}
		line, err := a.out.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("git cat-file: %w", err)
		}
		answers = append(answers, strings.TrimSuffix(line, "\n"))
	}
	return answers, nil
}

func (a *Resolver) start(r Repo) error {
	r.Hold = nil // it only reads, and may outlive the lock
	cmd := r.command(context.Background(), "cat-file", "--batch-check=%(objectname)")
	cmd.Dir = "/" // outside the tree, so that other programs don't take it for a git at work there
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	a.cmd, a.in, a.out = cmd, in, bufio.NewReader(out)
	return nil
}

// end ends the process; the next question starts another.
func (a *Resolver) end() {
	if a.cmd == nil {
		return
	}
	_ = a.in.Close()
	_ = a.cmd.Process.Kill()
	_ = a.cmd.Wait()
	a.cmd = nil
}

// Close ends the process once all callers are done.
func (a *Resolver) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end()
}
