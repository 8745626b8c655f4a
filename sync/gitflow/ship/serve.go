// Package ship is the ship's end of gitflow: it carries out the hub's requests about a tree.
package ship

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/wire"
)

// Serve carries out one request, whose verb is in args, for the tree at dir, which need not exist yet. It reads the
// request from stdin and writes the reply to stdout. A lock on dir lets one request at a time work on the tree.
func Serve(ctx context.Context, dir string, args []string, stdin io.Reader, stdout io.Writer) error {
	kept := git.NewKept()
	defer kept.Close()
	return serve(ctx, dir, kept, args, stdin, stdout)
}

// ServeLine carries out many requests, one after another, over a connection that wire.ServeLine reads. It is
// "ocaptain aboard tree".
func ServeLine(ctx context.Context, dir string, in io.Reader, out io.Writer) error {
	kept := git.NewKept()
	defer kept.Close()
	return wire.ServeLine(ctx, in, out, func(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
		return serve(ctx, dir, kept, args, stdin, stdout)
	})
}

func serve(ctx context.Context, dir string, kept *git.Kept, args []string, stdin io.Reader, stdout io.Writer) error {
	if len(args) != 1 {
		return errors.New("one verb is needed")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	hold, err := git.LockDir(ctx, dir)
	if err != nil {
		return err
	}
	defer hold.Close()
	s := &ship{stdin: bufio.NewReaderSize(stdin, 64<<10), stdout: stdout}
	if err := wire.ReadLine(s.stdin, wire.MaxRequest, &s.q); err != nil {
		return fmt.Errorf("request: %w", err)
	}
	s.q.Limits = s.q.Limits.WithDefaults()
	s.Repo = git.Repo{Dir: dir, GitDir: filepath.Join(dir, ".git"), Hold: hold, Kept: kept, Patience: git.ShipLockAge}.Set(git.Volatile[0], git.Volatile[1]).Set("index.version", "2").
		With(git.IdentityEnv("AUTHOR", s.q.Name, s.q.Mail)...).With(git.IdentityEnv("COMMITTER", s.q.Name, s.q.Mail)...)
	verbs := map[string]func(context.Context) error{
		wire.VerbHas: s.has, wire.VerbCheckout: s.checkout, wire.VerbSnapshot: s.snapshot, wire.VerbBeside: s.beside,
		wire.VerbMark: s.mark, wire.VerbClean: s.clean, wire.VerbTidy: s.tidy,
	}
	verb := verbs[args[0]]
	if verb == nil {
		return fmt.Errorf("unknown verb %q", args[0])
	}
	err = verb(ctx)
	if errors.Is(err, errNothing) {
		err = s.answer(ctx, wire.Reply{}, nil, nil)
	}
	return err
}

// ship is one request being carried out.
type ship struct {
	git.Repo
	q      wire.Request
	aim    wire.Aim // the aim of request q, once heard
	stdin  *bufio.Reader
	stdout io.Writer
	heard  bool // aim has been read
	spoken bool // the reply has been started
}

// missing replies that the hub's pack does not complete the target, with the commits that the repository has.
func (s *ship) missing(ctx context.Context) error {
	has, err := s.commits(ctx)
	if err != nil {
		return err
	}
	return s.lacking(ctx, has)
}

// lacking asks the hub to send all objects that the given commits don't reach.
func (s *ship) lacking(ctx context.Context, has []string) error {
	if _, err := io.Copy(io.Discard, s.stdin); err != nil {
		return err
	}
	return s.answer(ctx, wire.Reply{Missing: true, Has: has}, nil, nil)
}

// answer sends the reply, followed by a pack of want if want is not empty. The hub has the commits have.
func (s *ship) answer(ctx context.Context, p wire.Reply, want, have []string) error {
	p.Pack = len(want) > 0
	if len(p.Left) > wire.MaxListed {
		p.More, p.Left = len(p.Left)-wire.MaxListed, p.Left[:wire.MaxListed]
	}
	for i := range p.Left {
		p.Left[i].Path = wire.Cut(p.Left[i].Path, 256)
	}
	s.spoken = true
	if err := wire.WriteLine(s.stdout, p); err != nil || !p.Pack {
		return err
	}
	return s.SendPack(ctx, s.stdout, want, have)
}

// has replies with commits that the repository has.
func (s *ship) has(ctx context.Context) error {
	has, err := s.commits(ctx)
	if err != nil {
		return err
	}
	return s.answer(ctx, wire.Reply{Has: has}, nil, nil)
}

func (s *ship) commits(ctx context.Context) ([]string, error) {
	if !s.ready() {
		return nil, nil
	}
	return present(ctx, s.Repo, git.ShipBase, git.ShipSnapshot, "HEAD")
}

// present returns the ids of the names that are commits here.
func present(ctx context.Context, r git.Repo, names ...string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	exprs := make([]string, len(names))
	for i, n := range names {
		exprs[i] = n + "^{commit}"
	}
	found, err := r.Resolve(ctx, exprs...)
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

// errNothing means that the hub found no target and ends the request.
var errNothing = errors.New("nothing is wanted")

// hear reads the aim of the request, once.
func (s *ship) hear() error {
	if s.heard {
		return nil
	}
	if err := wire.ReadLine(s.stdin, wire.MaxRequest, &s.aim); err != nil {
		return fmt.Errorf("aim: %w", err)
	}
	if s.heard = true; s.aim.Target == "" {
		return errNothing
	}
	return nil
}

// take receives the objects that follow the aim. It reports whether the repository then has the target and all
// commits of need.
func (s *ship) take(ctx context.Context, need ...string) (bool, error) {
	if err := s.hear(); err != nil {
		return false, err
	}
	need = append(need, s.aim.Target)
	since, err := present(ctx, s.Repo, s.aim.Since...)
	if err != nil {
		return false, err
	}
	if len(since) < len(s.aim.Since) {
		return false, nil
	}
	if s.aim.Few {
		if err := s.ReceiveFew(s.stdin, s.aim.Target); err != nil {
			return false, err
		}
	} else if s.aim.Pack {
		if err := s.ReceivePack(ctx, s.stdin, false, 0); err != nil {
			return false, err
		}
	}
	got, err := present(ctx, s.Repo, need...)
	return len(got) == len(need), err
}
