// Package ship is the ship's end of gitflow: it carries out what the hub asks of the tree there.
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

// Serve is the remote end of one conversation, about a verb, on the tree at dir, which need not exist yet. The request comes on stdin, the
// reply goes to stdout. Two at a time on one tree wait for each other.
func Serve(ctx context.Context, dir string, args []string, stdin io.Reader, stdout io.Writer) error {
	kept := git.NewKept()
	defer kept.Close()
	return serve(ctx, dir, kept, args, stdin, stdout)
}

// ServeLine is Serve for one conversation after the other, which come on a line as package wire has it. It is "ocaptain aboard tree".
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

// ship is the remote end of one conversation.
type ship struct {
	git.Repo
	q      wire.Request
	aim    wire.Aim // of q, once it has come
	stdin  *bufio.Reader
	stdout io.Writer
	heard  bool // the aim has come
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
	return s.answer(ctx, wire.Reply{Missing: true, Has: has}, nil, nil)
}

// answer sends the reply, with a pack of want when there is any.
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

// has lists commits that the tree has.
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

// present returns those commits that exist here.
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

// errNothing says that the hub wants nothing, after all.
var errNothing = errors.New("nothing is wanted")

// hear waits for the aim of the request, unless it has come.
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

// take stores the pack behind the aim and tells whether the target and everything else that is needed are here then.
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
