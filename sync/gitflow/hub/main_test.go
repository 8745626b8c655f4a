package hub

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/ship"
	"ocaptain/sync/synctest"
)

// treeVar makes the test binary the remote's end, "ocaptain aboard tree", for the directory in the variable. With
// arguments it serves one request, else one after another.
const treeVar = "GITFLOW_TEST_TREE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(treeVar); dir != "" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		serve := func() error { return ship.ServeLine(ctx, dir, os.Stdin, os.Stdout) }
		if len(os.Args) > 1 {
			serve = func() error { return ship.Serve(ctx, dir, os.Args[1:], os.Stdin, os.Stdout) }
		}
		if err := serve(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if dir, ship, ok := strings.Cut(os.Getenv(hubVar), ":"); ok {
		if err := mergeForever(dir, ship); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(synctest.AsCaptain(m))
}

// hubVar makes the test binary a hub that merges one task after another until it is killed. Its value is
// "workspace:tree".
const hubVar = "GITFLOW_TEST_HUB"

// judgeVar makes that hub block in its first check.
const judgeVar = "GITFLOW_TEST_JUDGE"

func mergeForever(dir, ship string) error {
	ctx := context.Background()
	h, err := Open(ctx, dir, "voyage", Options{})
	if err != nil {
		return err
	}
	s := direct{ship}
	for n := 0; ; n++ {
		if _, err := h.Checkout(ctx, s, "ship-1", ""); err != nil {
			return err
		}
		for i := range 20 {
			name := filepath.Join(ship, fmt.Sprintf("f%d.txt", i))
			if err := os.WriteFile(name, fmt.Appendf(nil, "%d of %d\n", n, os.Getpid()), 0o644); err != nil {
				return err
			}
		}
		m := sync.Merge{Name: "ship-1", Subject: "task", Author: "E <e@e>", Keep: "refs/ocaptain/tasks/1"}
		if os.Getenv(judgeVar) != "" {
			m.Check = func(ctx context.Context, _ string) error {
				fmt.Println("judged")
				<-ctx.Done()
				return ctx.Err()
			}
		}
		if _, err := h.Merge(ctx, s, m); err != nil {
			return err
		}
		fmt.Println("merged")
	}
}

// process is a remote tree that a new process serves for each request, as over SSH.
type process struct{ dir string }

func (p process) Tree(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Env = append(os.Environ(), treeVar+"="+p.dir, "GORACE=atexit_sleep_ms=0")
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, &stderr
	if err := cmd.Run(); err != nil {
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		return fmt.Errorf("%w: %s", err, lines[len(lines)-1])
	}
	return nil
}

// direct is a remote tree that this process serves.
type direct struct{ dir string }

func (d direct) Tree(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	return ship.Serve(ctx, d.dir, args, stdin, stdout)
}

// put and content write and check files of a tree; gitOutput and tryGit run git there as its user would.
var (
	put       = synctest.Put
	content   = synctest.Has
	gitOutput = synctest.Git
	tryGit    = synctest.TryGit
)
