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
	hold, err := holdDir(ctx, dir)
	if err != nil {
		return fmt.Errorf("tree: %w", err)
	}
	defer hold.Close()
	s := &ship{stdin: bufio.NewReaderSize(stdin, maxRequest), stdout: stdout}
	if err := readLine(s.stdin, &s.q); err != nil {
		return fmt.Errorf("tree: request: %w", err)
	}
	s.q.Limits = s.q.Limits.orDefault()
	s.repo = repo{dir: dir, git: filepath.Join(dir, ".git"), hold: hold, asker: new(asker), patience: shipLockAge}.set("core.fsync", "none").set("index.version", "2").
		with(identity("AUTHOR", s.q.Name, s.q.Mail)...).with(identity("COMMITTER", s.q.Name, s.q.Mail)...)
	defer s.asker.close()
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
	repo
	q      request
	stdin  *bufio.Reader
	stdout io.Writer
	spoken bool // the reply has begun
}

// Refs of a remote tree.
const (
	shipBase   = "refs/ocaptain/base"     // branch commit that the tree was last brought to
	shipShot   = "refs/ocaptain/snapshot" // newest snapshot
	shipPrior  = "refs/ocaptain/prior"    // the tree before conflict markers were put in
	shipTo     = "refs/ocaptain/to"       // commit that the tree is being brought to, from the newest snapshot
	shipParked = "refs/ocaptain/parked/"  // leftovers that the hub may not have yet
)

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
	return s.sendPack(ctx, s.stdout, want, have)
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
	return s.present(ctx, shipBase, shipShot, "HEAD")
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
	found, err := s.resolve(ctx, exprs...)
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
		if err := s.takePack(ctx, s.stdin, false, 0); err != nil {
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

// identity is the environment that names an author or committer.
func identity(who, name, mail string) []string {
	return []string{"GIT_" + who + "_NAME=" + name, "GIT_" + who + "_EMAIL=" + mail}
}
