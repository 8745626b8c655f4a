// Package git runs git on a repository that also holds what remotes wrote. It hardens git, so that nothing from a
// remote is executed, and bounds git's output. It defines the names of refs, waits for locks and removes abandoned
// ones, compares and merges trees, and sends and receives packs.
package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"

	"ocaptain/sync/bounded"
)

// MaxOutput bounds the output of a git command, in bytes.
const MaxOutput = 64 << 20

// Repo is one git directory and one working tree, and the only way this package runs git on them.
type Repo struct {
	Dir        string        // working tree
	GitDir     string        // git directory
	Config     [][2]string   // settings added to hardened
	Env        []string      // environment added to hardenedEnv
	Patience   time.Duration // age from which a lock may count as abandoned
	Complaints io.Writer     // also gets what git prints to standard error; may be nil
	Hold       *os.File      // lock file that git commands inherit, so that the lock lasts while they run, even if this process dies; may be nil
	Kept       *Kept         // long-running git processes to use; nil to start new ones for each call

	MergeTime time.Duration // how long git may merge files; 0 for no bound
	Group     bool          // run git in a process group of its own, so that cancelling also ends its child processes
}

// With returns a copy of r with more environment variables.
func (r Repo) With(env ...string) Repo {
	r.Env = append(r.Env[:len(r.Env):len(r.Env)], env...)
	return r
}

// Set returns a copy of r with one more setting.
func (r Repo) Set(key, value string) Repo {
	r.Config = append(r.Config[:len(r.Config):len(r.Config)], [2]string{key, value})
	return r
}

// WithIndex returns a copy of r that uses file as its index.
func (r Repo) WithIndex(file string) Repo { return r.With("GIT_INDEX_FILE=" + file) }

// Path returns the path of a file inside the git directory.
func (r Repo) Path(elem ...string) string {
	return filepath.Join(append([]string{r.GitDir}, elem...)...)
}

// Stream runs git with the given standard streams.
func (r Repo) Stream(ctx context.Context, in io.Reader, out io.Writer, args ...string) error {
	return RunCommand(ctx, r.command(ctx, args...), in, out)
}

// command returns the command that runs git on this repository.
func (r Repo) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = r.Dir
	cmd.Env = append(hardenedEnv(r.Config), "GIT_DIR="+r.GitDir, "GIT_WORK_TREE="+r.Dir)
	cmd.Env = append(cmd.Env, r.Env...)
	if r.Group {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	}
	cmd.Stderr = r.Complaints
	if r.Hold != nil {
		cmd.ExtraFiles = []*os.File{r.Hold}
	}
	return cmd
}

// RunCommand runs cmd. When ctx ends, it sends SIGTERM, so that git removes its lock files, and kills git later. When
// git fails, RunCommand does not wait for a read from in, which may be a silent remote: afterwards the caller must
// not read from in.
func RunCommand(ctx context.Context, cmd *exec.Cmd, in io.Reader, out io.Writer) error {
	complaint := bounded.NewEnd(4096)
	cmd.Stdout = out
	if cmd.Stderr != nil {
		cmd.Stderr = io.MultiWriter(complaint, cmd.Stderr)
	} else {
		cmd.Stderr = complaint
	}
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
				err = nil // git stopped reading
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
	return &Error{Verb: cmd.Args[1], Said: tellingLine(complaint.String()), Err: err}
}

// Output runs git and returns its output without the last newline.
func (r Repo) Output(ctx context.Context, args ...string) (string, error) {
	b, err := r.Bytes(ctx, nil, args...)
	return strings.TrimSuffix(string(b), "\n"), err
}

// Bytes runs git and returns its output.
func (r Repo) Bytes(ctx context.Context, in io.Reader, args ...string) ([]byte, error) {
	b := bounded.Refuse(MaxOutput)
	err := r.Stream(ctx, in, b, args...)
	if b.IsOver() {
		return nil, fmt.Errorf("git %s: answer is larger than %s", args[0], humanize.IBytes(uint64(MaxOutput)))
	}
	return b.Bytes(), err
}

// Number runs git and returns the number that it prints.
func (r Repo) Number(ctx context.Context, args ...string) (int, error) {
	text, err := r.Output(ctx, args...)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(text)
}

// Run runs git and drops its output.
func (r Repo) Run(ctx context.Context, args ...string) error {
	return r.Stream(ctx, nil, nil, args...)
}

// UpdateRefs changes refs in one transaction; each line is a command of "git update-ref --stdin". It finishes even if
// ctx ends meanwhile, since a killed git leaves lock files. It waits for locks of other processes, and removes
// abandoned ones.
func (r Repo) UpdateRefs(ctx context.Context, lines ...string) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	k, release := r.kept()
	defer release()
	tries := 0
	for deadline := time.Now().Add(LockPatience); ; tries++ {
		err := k.changeRefs(ctx, r, lines)
		if err == nil || ctx.Err() != nil {
			return err
		}
		locks := r.RefLocks(lines)
		locked := slices.ContainsFunc(locks, func(l string) bool { _, err := os.Lstat(l); return err == nil })
		if !locked && tries > 0 { // try once more even if no lock is there now: the lock that stopped git may be gone
			return err
		}
		stays, unlockErr := r.RemoveAbandonedLocks(locks)
		if unlockErr != nil {
			return errors.Join(err, unlockErr)
		}
		if stays != "" && time.Now().After(deadline) {
			return LockedBy(stays)
		}
	}
}

// Head returns the full ref that HEAD points to, "" when HEAD is detached.
func (r Repo) Head(ctx context.Context) (string, error) {
	if raw, err := os.ReadFile(r.Path("HEAD")); err == nil {
		// A repository whose refs are not files has this invalid branch in the file HEAD.
		if ref, ok := strings.CutPrefix(strings.TrimSpace(string(raw)), "ref: "); ok && ref != "refs/heads/.invalid" {
			return ref, nil
		}
	}
	ref, err := r.Output(ctx, "symbolic-ref", "--quiet", "HEAD")
	if ExitCode(err) == 1 {
		return "", nil
	}
	return ref, err
}

// IsObjectID reports whether s is a full object id, SHA-1 or SHA-256.
func IsObjectID(s string) bool {
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

// IsEmptyTree reports whether id is the empty tree.
func IsEmptyTree(id string) bool {
	return id == "4b825dc642cb6eb9a060e54bf8d69288fbee4904" || id == "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74de5cc321"
}

// Error is a git command that failed.
type Error struct {
	Verb string
	Said string
	Err  error
}

func (e *Error) Error() string {
	if e.Said == "" {
		return fmt.Sprintf("git %s: %v", e.Verb, e.Err)
	}
	return fmt.Sprintf("git %s: %s", e.Verb, e.Said)
}

func (e *Error) Unwrap() error { return e.Err }

// ExitCode returns the exit status in err, or -1.
func ExitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return -1
}

// tellingLine returns the most useful line of git's standard error: the last line with "error:", else with "fatal:",
// without that word, else the last line.
func tellingLine(complaint string) string {
	for _, end := range []string{"fatal: Could not read from remote repository.", "fatal: the remote end hung up unexpectedly"} {
		if why, _, ok := strings.Cut(complaint, end); ok && strings.TrimSpace(why) != "" { // ssh or the other side has said why
			complaint = why
		}
	}
	best, weight := "", -1
	for l := range strings.SplitSeq(complaint, "\n") {
		w := 0
		l = PlainText(strings.TrimSpace(l))
		if l == "" || strings.HasPrefix(l, "hint:") {
			continue
		}
		for n, label := range []string{"fatal: ", "error: "} {
			if why, ok := strings.CutPrefix(l, label); ok {
				l, w = why, n+1
			}
		}
		if w >= weight {
			best, weight = l, w
		}
	}
	return best
}

// PlainText makes one line of s, cuts it to a length fit for messages, and removes passwords from URLs.
func PlainText(s string) string {
	s = strings.Join(strings.Fields(password.ReplaceAllString(strings.ToValidUTF8(s, "?"), "://***@")), " ")
	if r := []rune(s); len(r) > 300 {
		s = string(r[:300]) + "…"
	}
	return s
}

// Open returns the repository at dir, which must not be a linked worktree.
func Open(dir string) (Repo, error) {
	r := Repo{Dir: dir, GitDir: filepath.Join(dir, ".git")}
	st, err := os.Lstat(r.GitDir)
	if err != nil {
		return Repo{}, fmt.Errorf("repository %s: %w", dir, err)
	}
	if !st.IsDir() {
		return Repo{}, fmt.Errorf("repository %s: .git is not a directory: use a clone of its own, not a linked worktree", dir)
	}
	return r, nil
}
