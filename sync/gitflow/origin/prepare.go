// Package origin makes the repository of a voyage from what the captain names, fetches from there and pushes to it. It also tells who the captain
// is by his own git configuration.
package origin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"ocaptain/sync/gitflow/git"
)

// Options shape Prepare. The zero value is good.
type Options struct {
	From  string // where the branch begins: a branch, tag or commit of the source, default its HEAD. A commit on no branch of the source needs its full id
	Host  string // host for which Token is, default github.com
	Token string // token for https; git reads it from a file that only this user may read

	Remote string // repository that has the commit From if the source lacks it, default the source
	Silent bool   // git and ssh must not ask for a password, neither on the terminal nor in a window
}

// Prepare makes a clone at dir for hub.Open, with branch checked out, and returns the commit at which the branch
// begins. source is a git URL, a local repository, or "" for a new repository. Prepare leaves an existing clone as it
// is.
//
// Only the transfer itself runs with the captain's own git settings and credentials. Prepare builds the clone
// elsewhere and renames it to dir when it is complete. Submodules stay empty and large-file pointers stay pointers.
func Prepare(ctx context.Context, dir, source, branch string, opts Options) (base string, err error) {
	base, err = prepare(ctx, dir, source, branch, opts)
	if err != nil {
		return "", fmt.Errorf("prepare %s: %w", dir, err)
	}
	return base, nil
}

// maxBranch bounds the name of a branch, in bytes: git makes files of its last part and of a lock, with a longer
// name.
const maxBranch = 250

// IsBranch reports whether Prepare accepts the name of a branch: git accepts it, it is valid UTF-8, and no git
// command takes it for something else.
func IsBranch(name string) bool {
	return git.IsBranchName(name) && len(name) <= maxBranch && utf8.ValidString(name) &&
		name != "@" && !strings.HasPrefix(name, "refs/") && !git.IsObjectID(name)
}

// BadBranch returns the error for an invalid name of a branch.
func BadBranch(name string) error {
	return fmt.Errorf("branch %q: git refuses the name (see git-check-ref-format(1)): use letters, digits, dots, dashes and underscores", git.PlainText(name))
}

func prepare(ctx context.Context, dir, source, branch string, opts Options) (string, error) {
	if !IsBranch(branch) {
		return "", BadBranch(branch)
	}
	if err := CheckGit(ctx); err != nil {
		return "", err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return began(ctx, dir, branch)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	room, err := os.MkdirTemp(filepath.Dir(dir), ".prepare-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(room)
	r := git.Repo{Dir: filepath.Join(room, filepath.Base(dir))}
	r.GitDir = filepath.Join(r.Dir, ".git")
	base, err := populate(ctx, r, source, branch, opts)
	if err != nil {
		return "", err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return base, os.Rename(r.Dir, dir)
}

// began returns the commit at which the branch of an existing clone began.
func began(ctx context.Context, dir, branch string) (string, error) {
	r, err := git.Open(dir)
	if err != nil {
		return "", fmt.Errorf("something else is there: %w", err)
	}
	found, err := r.Resolve(ctx, git.RefStart+"^{commit}", "refs/heads/"+branch+"^{commit}")
	if err != nil {
		return "", err
	}
	if found[0] == "" || found[1] == "" {
		return "", fmt.Errorf("a repository without branch %s of ours is there: move it away", branch)
	}
	return found[0], nil
}

// populate makes the clone and checks out the branch.
func populate(ctx context.Context, r git.Repo, source, branch string, opts Options) (string, error) {
	if err := os.Mkdir(r.Dir, 0o700); err != nil {
		return "", err
	}
	if source == "" {
		if err := r.Run(ctx, "init", "-q", "--template=", "--initial-branch="+branch); err != nil {
			return "", err
		}
	} else if err := clone(ctx, r.Dir, source, opts); err != nil {
		return "", err
	}
	r, err := r.Disarm(ctx)
	if err != nil {
		return "", err
	}
	if err := checkWhole(ctx, r, source); err != nil {
		return "", err
	}
	base, err := begin(ctx, r, source, opts)
	if err != nil {
		return "", err
	}
	ref := "refs/heads/" + branch
	if err := r.UpdateRefs(ctx, "update "+ref+" "+base, "update "+git.RefStart+" "+base); err != nil {
		return "", err
	}
	if err := r.Run(ctx, "symbolic-ref", "HEAD", ref); err != nil {
		return "", err
	}
	return base, r.Run(ctx, "read-tree", "--reset", "-u", base)
}

// checkWhole returns an error for a clone of a local partial clone, if objects are missing. Git in the partial clone
// fetches missing objects when it needs them, but a ship cannot.
func checkWhole(ctx context.Context, r git.Repo, source string) error {
	if packs, err := filepath.Glob(r.Path("objects", "pack", "*.promisor")); err != nil || len(packs) == 0 {
		return err
	}
	var missing questions
	if err := r.Stream(ctx, nil, &missing, "rev-list", "--objects", "--all", "--missing=print"); err != nil {
		return err
	}
	if missing.n > 0 {
		path := git.PlainText(source)
		return fmt.Errorf("%s is a partial clone (git clone --filter) and lacks %d objects: complete it with: git -C %s fetch --refetch --no-filter; or give the repository that it was cloned from", path, missing.n, path)
	}
	return nil
}

// questions counts lines that begin with "?": objects that git rev-list reports as missing.
type questions struct {
	n      int
	inLine bool
}

func (q *questions) Write(b []byte) (int, error) {
	for _, c := range b {
		if c == '?' && !q.inLine {
			q.n++
		}
		q.inLine = c != '\n'
	}
	return len(b), nil
}

// begin returns the commit at which the branch begins. For a repository without commits it makes an empty commit.
func begin(ctx context.Context, r git.Repo, source string, opts Options) (string, error) {
	from := opts.From
	if strings.HasPrefix(from, "-") || strings.ContainsAny(from, "\n\x00") {
		return "", fmt.Errorf("start %q: not a branch, tag or commit", git.PlainText(from))
	}
	whole, exprs := git.IsObjectID(from), []string{"HEAD^{commit}"}
	switch {
	case whole:
		exprs[0] = from + "^{commit}"
	case from != "":
		exprs = []string{"refs/remotes/origin/" + from + "^{commit}", "refs/tags/" + from + "^{commit}", from + "^{commit}"}
	}
	found, err := r.Resolve(ctx, exprs...)
	if err != nil {
		return "", err
	}
	for _, id := range found {
		if id != "" {
			return id, nil
		}
	}
	if whole && source != "" {
		return fetchFrom(ctx, r, cmp.Or(opts.Remote, source), from, opts)
	}
	if from != "" {
		return "", fmt.Errorf("start %q: the source has no such branch, tag or commit", git.PlainText(from))
	}
	who, err := CaptainOf(ctx, r.Dir)
	if err != nil {
		return "", err
	}
	r = r.With(git.IdentityEnv("AUTHOR", who.Name, who.Mail)...).With(git.IdentityEnv("COMMITTER", who.Name, who.Mail)...)
	files, err := r.Bytes(ctx, strings.NewReader(""), "mktree")
	if err != nil {
		return "", err
	}
	return r.WriteCommit(git.Commit{Tree: strings.TrimSpace(string(files)), Message: "captain: begin"})
}

// clone clones the source with the captain's git settings, without a checkout.
func clone(ctx context.Context, dir, source string, opts Options) error {
	source, err := cleanSource(source)
	if err != nil {
		return err
	}
	err = transfer(ctx, "", nil, opts, "clone", "-q", "--no-checkout", "--no-recurse-submodules", "--template=", "--origin", "origin", "--", source, dir)
	if err != nil {
		return fmt.Errorf("clone %s: %w: check the address, and that git can reach it with your credentials", git.PlainText(source), err)
	}
	return nil
}

// transfer runs git in a directory with the captain's settings and credentials, but without hooks.
func transfer(ctx context.Context, dir string, out io.Writer, opts Options, args ...string) error {
	host := opts.Host
	if host == "" {
		host = "github.com"
	}
	config := [][2]string{{"core.hooksPath", os.DevNull}, {"protocol.ext.allow", "never"}, {"gc.auto", "0"}, {"core.filesRefLockTimeout", "10000"}}
	if opts.Silent {
		config = append(config, silentHTTP...)
	}
	login, end, err := git.Login(host, opts.Token, config...)
	if err != nil {
		return err
	}
	defer end()
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = append(append(captainEnv(), "GIT_TERMINAL_PROMPT=0", "LC_ALL=C"), login...)
	if opts.Silent {
		if cmd.Env, err = unattended(ctx, dir, cmd.Env); err != nil {
			return err
		}
	}
	return git.RunCommand(ctx, cmd, nil, out)
}

// captainEnv returns this process's environment without variables that point git at a repository or pass it settings.
func captainEnv() []string {
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
			"GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_PREFIX", "GIT_QUARANTINE_PATH", "GIT_TERMINAL_PROMPT", "LC_ALL":
			continue
		}
		if strings.HasPrefix(name, "GIT_CONFIG_COUNT") || strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "GIT_CONFIG_VALUE_") {
			continue
		}
		env = append(env, kv)
	}
	return env
}

// cleanSource returns an error for an invalid source, and makes a local path absolute. It refuses a URL with a
// password, which every process on the machine could read.
func cleanSource(source string) (string, error) {
	if strings.HasPrefix(source, "-") || strings.Contains(source, "::") || strings.ContainsAny(source, "\n\x00") {
		return "", fmt.Errorf("source %q: not a git URL or a path", git.PlainText(source))
	}
	if u, err := url.Parse(source); err == nil && u.Scheme != "" && u.Host != "" {
		if _, has := u.User.Password(); has {
			return "", errors.New("source: the URL holds a password: use GH_TOKEN or a git credential helper instead")
		}
		return source, nil
	}
	if _, err := os.Stat(source); err == nil {
		return filepath.Abs(source)
	}
	return source, nil // either host:path, or git reports what is wrong
}

// CheckGit returns an error unless git is installed and at least version 2.38, the first that can merge without a
// working tree.
func CheckGit(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "git", "version")
	b, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("git: %w: install git 2.38 or newer", err)
	}
	var major, minor int
	if _, err := fmt.Sscanf(string(b), "git version %d.%d", &major, &minor); err == nil && (major < 2 || major == 2 && minor < 38) {
		return fmt.Errorf("git: %s is too old: install git 2.38 or newer", strings.TrimSpace(string(b)))
	}
	return nil
}
