package gitflow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"ocaptain/sync/bounded"
)

// maxOutput bounds what is kept of a git command's answer, in bytes.
const maxOutput = 64 << 20

// repo is one git directory and one working tree, and the only way this package runs git on them.
type repo struct {
	dir      string        // working tree
	git      string        // git directory
	config   [][2]string   // on top of hardened
	env      []string      // on top of hardenedEnv
	patience time.Duration // how old a lock must be to count as left behind
	hold     *os.File      // lock that git commands keep as long as they run, even when this process dies; may be nil
	asker    *asker        // answers resolve; nil for a git process of its own each time

	mergeTime time.Duration // how long git may merge files; 0 for no bound
	group     bool          // what git starts ends with it
}

// with returns the repo with more environment.
func (r repo) with(env ...string) repo {
	r.env = append(r.env[:len(r.env):len(r.env)], env...)
	return r
}

// set returns the repo with one more setting.
func (r repo) set(key, value string) repo {
	r.config = append(r.config[:len(r.config):len(r.config)], [2]string{key, value})
	return r
}

// indexed returns the repo with an index file of its own.
func (r repo) indexed(file string) repo { return r.with("GIT_INDEX_FILE=" + file) }

// path returns a file inside the git directory.
func (r repo) path(elem ...string) string {
	return filepath.Join(append([]string{r.git}, elem...)...)
}

// do runs git with the given standard streams.
func (r repo) do(ctx context.Context, in io.Reader, out io.Writer, args ...string) error {
	return runGit(ctx, r.command(ctx, args...), in, out)
}

// command is git as it runs on this repo.
func (r repo) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(hardenedEnv(r.config), "GIT_DIR="+r.git, "GIT_WORK_TREE="+r.dir)
	cmd.Env = append(cmd.Env, r.env...)
	if r.group {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	}
	if r.hold != nil {
		cmd.ExtraFiles = []*os.File{r.hold}
	}
	return cmd
}

// runGit runs cmd. Git is asked to end, and so removes its lock files, before it is killed. When it fails, runGit does not
// wait for in, which may be a remote that says nothing: nobody else may read from it then.
func runGit(ctx context.Context, cmd *exec.Cmd, in io.Reader, out io.Writer) error {
	var complaint tail
	cmd.Stdout, cmd.Stderr = out, &complaint
	cmd.Cancel = func() error {
		if cmd.SysProcAttr != nil && cmd.SysProcAttr.Setpgid {
			return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		}
		return cmd.Process.Signal(syscall.SIGTERM)
	}
	cmd.WaitDelay = 2 * time.Second
	fed := make(chan error, 1)
	if in == nil {
		fed <- nil
	} else {
		stdin, err := cmd.StdinPipe()
		if err != nil {
			return fmt.Errorf("git %s: %w", cmd.Args[1], err)
		}
		go func() {
			_, err := io.Copy(stdin, in)
			stdin.Close()
			if errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) {
				err = nil // git had enough
			}
			fed <- err
		}()
	}
	err := cmd.Run()
	if err == nil {
		select {
		case err = <-fed:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("git %s: %w", cmd.Args[1], context.Cause(ctx))
	}
	return &gitError{verb: cmd.Args[1], said: complaint.line(), err: err}
}

// out runs git and returns its answer without the line end.
func (r repo) out(ctx context.Context, args ...string) (string, error) {
	b, err := r.bytes(ctx, nil, args...)
	return strings.TrimSuffix(string(b), "\n"), err
}

// bytes runs git and returns its answer.
func (r repo) bytes(ctx context.Context, in io.Reader, args ...string) ([]byte, error) {
	b := bounded.Refuse(maxOutput)
	err := r.do(ctx, in, b, args...)
	if b.Over() {
		return nil, fmt.Errorf("git %s: answer is larger than %s", args[0], size(maxOutput))
	}
	return b.Bytes(), err
}

// quiet runs git for its effect.
func (r repo) quiet(ctx context.Context, args ...string) error {
	return r.do(ctx, nil, nil, args...)
}

// resolve looks up what each expression names, "" where nothing.
func (r repo) resolve(ctx context.Context, exprs ...string) ([]string, error) {
	ask := r.asker
	if ask == nil {
		ask = new(asker)
		defer ask.close()
	}
	lines, err := ask.ask(ctx, r, exprs)
	if err != nil {
		return nil, err
	}
	for i, l := range lines {
		if !isOID(l) {
			lines[i] = ""
		}
	}
	return lines, nil
}

// refs changes refs in one transaction, each line a command of "git update-ref --stdin". It is not cut short when ctx
// ends: git could leave locks behind. Locks of others are waited for.
func (r repo) refs(ctx context.Context, lines ...string) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	tries := 0
	for deadline := time.Now().Add(lockPatience); ; tries++ {
		err := r.do(ctx, strings.NewReader(strings.Join(lines, "\n")+"\n"), nil, "update-ref", "-m", "ocaptain", "--stdin")
		if err == nil || ctx.Err() != nil {
			return err
		}
		locks := r.refLocks(lines)
		locked := slices.ContainsFunc(locks, func(l string) bool { _, err := os.Lstat(l); return err == nil })
		if !locked && tries > 0 { // one that was there is gone at the second try
			return err
		}
		stays, unlockErr := r.unlock(locks)
		if unlockErr != nil {
			return errors.Join(err, unlockErr)
		}
		if stays != "" && time.Now().After(deadline) {
			return lockedBy(stays)
		}
	}
}

// head returns the full ref that HEAD stands for, "" when it is detached.
func (r repo) head(ctx context.Context) (string, error) {
	if raw, err := os.ReadFile(r.path("HEAD")); err == nil {
		// Where refs are not files, this one says so by naming a branch that can't be.
		if ref, ok := strings.CutPrefix(strings.TrimSpace(string(raw)), "ref: "); ok && ref != "refs/heads/.invalid" {
			return ref, nil
		}
	}
	ref, err := r.out(ctx, "symbolic-ref", "--quiet", "HEAD")
	if exitCode(err) == 1 {
		return "", nil
	}
	return ref, err
}

// isOID tells whether s is a full object name, SHA-1 or SHA-256.
func isOID(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// emptyTree tells whether a tree has no files.
func emptyTree(id string) bool {
	return id == "4b825dc642cb6eb9a060e54bf8d69288fbee4904" || id == "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74de5cc321"
}

// gitError is a git command that failed.
type gitError struct {
	verb string
	said string
	err  error
}

func (e *gitError) Error() string {
	if e.said == "" {
		return fmt.Sprintf("git %s: %v", e.verb, e.err)
	}
	return fmt.Sprintf("git %s: %s", e.verb, e.said)
}

func (e *gitError) Unwrap() error { return e.err }

// exitCode returns the exit status in err, or -1.
func exitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return -1
}

// tail keeps the end of what was written to it.
type tail struct{ b []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if n := len(t.b) - 4096; n > 0 {
		t.b = t.b[n:]
	}
	return len(p), nil
}

// line picks the line that says most, of those it has: the last "fatal:" or "error:", else the last one.
func (t *tail) line() string {
	best, weight := "", -1
	for l := range strings.SplitSeq(string(t.b), "\n") {
		l = plain(strings.TrimSpace(l))
		w := 0
		switch {
		case l == "" || strings.HasPrefix(l, "hint:"):
			continue
		case strings.HasPrefix(l, "fatal:"):
			w = 1
		case strings.HasPrefix(l, "error:"):
			w = 2
		}
		if w >= weight {
			best, weight = l, w
		}
	}
	return best
}

// plain makes one line of s, of a length that can be shown, and takes out passwords in URLs.
func plain(s string) string {
	s = strings.Join(strings.Fields(password.ReplaceAllString(strings.ToValidUTF8(s, "?"), "://***@")), " ")
	if r := []rune(s); len(r) > 300 {
		s = string(r[:300]) + "…"
	}
	return s
}

// size writes a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.3g GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.3g MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d bytes", n)
}

// gitDir returns the git directory of a plain clone at dir.
func gitDir(dir string) (string, error) {
	git := filepath.Join(dir, ".git")
	st, err := os.Lstat(git)
	if err != nil {
		return "", fmt.Errorf("repository %s: %w", dir, err)
	}
	if !st.IsDir() {
		return "", fmt.Errorf("repository %s: .git is not a directory: use a clone of its own, not a linked worktree", dir)
	}
	return git, nil
}
