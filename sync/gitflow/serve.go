package gitflow

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ocaptain/sync/gitflow/git"
)

// Serve is the remote end: it carries out one "ocaptain aboard tree VERB" on the tree at dir, which need not exist
// yet. The request comes on stdin, the reply goes to stdout. Two at a time on one tree wait for each other.
func Serve(ctx context.Context, dir string, args []string, stdin io.Reader, stdout io.Writer) error {
	if len(args) != 1 {
		return errors.New("tree: one verb is needed")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("tree: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("tree: %w", err)
	}
	hold, err := git.LockDir(ctx, dir)
	if err != nil {
		return fmt.Errorf("tree: %w", err)
	}
	defer hold.Close()
	s := &ship{stdin: bufio.NewReaderSize(stdin, maxRequest), stdout: stdout}
	if err := readLine(s.stdin, &s.q); err != nil {
		return fmt.Errorf("tree: request: %w", err)
	}
	s.q.Limits = s.q.Limits.WithDefaults()
	s.Repo = git.Repo{Dir: dir, GitDir: filepath.Join(dir, ".git"), Hold: hold, Resolver: new(git.Resolver), Patience: git.ShipLockAge}.Set("core.fsync", "none").Set("index.version", "2").
		With(git.IdentityEnv("AUTHOR", s.q.Name, s.q.Mail)...).With(git.IdentityEnv("COMMITTER", s.q.Name, s.q.Mail)...)
	defer s.Resolver.Close()
	verbs := map[string]func(context.Context) error{
		verbHas: s.has, verbCheckout: s.checkout, verbSnapshot: s.snapshot, verbBeside: s.beside,
		verbMark: s.mark, verbClean: s.clean, verbTidy: s.tidy,
	}
	verb := verbs[args[0]]
	if verb == nil {
		return fmt.Errorf("tree: unknown verb %q", args[0])
	}
	if err := verb(ctx); err != nil {
		return fmt.Errorf("tree %s: %w", args[0], err)
	}
	return nil
}

// ship is the remote end of one conversation.
type ship struct {
	git.Repo
	q      request
	stdin  *bufio.Reader
	stdout io.Writer
	spoken bool // the reply has begun
}

// missing tells the hub that its pack is of no use, and what would be.
func (s *ship) missing(ctx context.Context) error {
	has, err := s.commits(ctx)
	if err != nil {
		return err
	}
	return s.lacking(ctx, has)
}

// lacking asks the hub to send everything that the given commits don't reach.
func (s *ship) lacking(ctx context.Context, has []string) error {
	if _, err := io.Copy(io.Discard, s.stdin); err != nil {
		return err
	}
	return s.answer(ctx, reply{Missing: true, Has: has}, nil, nil)
}

// answer sends the reply, with a pack of want when there is any.
func (s *ship) answer(ctx context.Context, p reply, want, have []string) error {
	p.Pack = len(want) > 0
	if len(p.Left) > maxListed {
		p.More, p.Left = len(p.Left)-maxListed, p.Left[:maxListed]
	}
	for i := range p.Left {
		p.Left[i].Path = cut(p.Left[i].Path, 256)
	}
	s.spoken = true
	if err := writeLine(s.stdout, p); err != nil || !p.Pack {
		return err
	}
	return s.SendPack(ctx, s.stdout, want, have)
}

// has lists commits that the tree has.
func (s *ship) has(ctx context.Context) error {
	has, err := s.commits(ctx)
	if err != nil {
		return err
	}
	return s.answer(ctx, reply{Has: has}, nil, nil)
}

func (s *ship) commits(ctx context.Context) ([]string, error) {
	if !s.ready() {
		return nil, nil
	}
	return s.present(ctx, git.ShipBase, git.ShipSnapshot, "HEAD")
}

// present returns those commits that exist here.
func (s *ship) present(ctx context.Context, names ...string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	exprs := make([]string, len(names))
	for i, n := range names {
		exprs[i] = n + "^{commit}"
	}
	found, err := s.Resolve(ctx, exprs...)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, id := range found {
		if id != "" {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// take stores the request's pack and tells whether everything needed is here then.
func (s *ship) take(ctx context.Context, need ...string) (bool, error) {
	since, err := s.present(ctx, s.q.Since...)
	if err != nil {
		return false, err
	}
	if len(since) < len(s.q.Since) {
		return false, nil
	}
	if s.q.Pack {
		if err := s.ReceivePack(ctx, s.stdin, false, 0); err != nil {
			return false, err
		}
	}
	got, err := s.present(ctx, need...)
	return len(got) == len(need), err
}

// cut shortens s to n bytes without splitting a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
