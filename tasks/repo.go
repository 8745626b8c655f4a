package tasks

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"ocaptain/tasks/pattern"
)

// RepoKind is a sort of repository.
type RepoKind string

// The sorts of repository that a plan may name.
const (
	RepoFresh  RepoKind = "fresh"  // none: the voyage begins in a new, empty repository
	RepoGitHub RepoKind = "github" // owner/repo
	RepoURL    RepoKind = "url"    // any other remote that git clones
	RepoPath   RepoKind = "path"   // a directory on this machine
)

// Repo says where a voyage's repository comes from.
type Repo struct {
	Kind RepoKind
	Name string // the text from the plan, without space around it; "" when fresh
}

var (
	ownerRepo = pattern.New(`^[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}$`)
	scpLike   = pattern.New(`^(?:[A-Za-z0-9_][A-Za-z0-9._-]*@)?(?:[A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\]):([^:].*)$`)
	transport = pattern.New(`^[A-Za-z0-9+.-]+::`)
	token     = pattern.New(`^(gh[a-z]_|github_pat_|glpat-|x-access-token$|oauth2$)`)
)

// maxRepo bounds the text of a repository, in bytes.
const maxRepo = 2048

// ParseRepo reads where a repository is, from the form of the text alone: owner/repo, a URL (https, http, ssh, git,
// file), user@host:path, a path that begins with /, ./, ../ or ~/, or "" or "none" for a fresh repository. It refuses
// text that git could take for an option or a command, and URLs with secrets in them. Its errors do not repeat such a
// secret.
func ParseRepo(text string) (Repo, error) {
	s := strings.TrimSpace(text)
	switch {
	case s == "" || s == "none":
		return Repo{Kind: RepoFresh}, nil
	case len(s) > maxRepo:
		return Repo{}, fmt.Errorf("repository is longer than %d bytes", maxRepo)
	case !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl):
		return Repo{}, errors.New("repository has control characters")
	case strings.HasPrefix(s, "-"):
		return Repo{}, fmt.Errorf("repository %q looks like an option", s)
	case isLocalPath(s):
		return Repo{RepoPath, s}, nil
	case transport().MatchString(s):
		return Repo{}, errors.New("repository uses a git transport helper (name::address), which runs commands")
	case strings.Contains(s, "://"):
		if err := checkURL(s); err != nil {
			return Repo{}, err
		}
		return Repo{RepoURL, s}, nil
	}
	if m := scpLike().FindStringSubmatch(s); m != nil {
		if strings.HasPrefix(m[1], "-") {
			return Repo{}, fmt.Errorf("path of repository %q looks like an option", s)
		}
		return Repo{RepoURL, s}, nil
	}
	if name := strings.TrimSuffix(s, ".git"); ownerRepo().MatchString(name) && !strings.HasSuffix(name, "/.") && !strings.HasSuffix(name, "/..") {
		return Repo{RepoGitHub, name}, nil
	}
	return Repo{}, fmt.Errorf("repository %q is neither owner/repo, nor a git URL, nor a path", s)
}

func isLocalPath(s string) bool {
	if s == "." || s == ".." || s == "~" {
		return true
	}
	for _, start := range []string{"/", "./", "../", "~/"} {
		if strings.HasPrefix(s, start) {
			return true
		}
	}
	return false
}

// checkURL refuses URLs that git or ssh could misread, and URLs with a secret.
func checkURL(s string) error {
	u, err := url.Parse(s)
	if err != nil {
		return errors.New("repository is not a valid URL") // url.Parse would repeat a password in its error
	}
	password, hasPassword := u.User.Password()
	switch {
	case hasPassword && password != "" || token().MatchString(u.User.Username()):
		return errors.New("repository URL carries a secret, which would end up in logs and process lists")
	case u.Scheme == "file":
		if u.Host != "" && u.Host != "localhost" {
			return fmt.Errorf("file URL names the host %q", u.Host)
		}
	case u.Scheme == "https" || u.Scheme == "http" || u.Scheme == "ssh" || u.Scheme == "git":
		if u.Hostname() == "" {
			return errors.New("repository URL has no host")
		}
	default:
		return fmt.Errorf("repository URL has the scheme %q; https, http, ssh, git and file are known", u.Scheme)
	}
	switch path := strings.TrimLeft(u.Path, "/"); {
	case path == "":
		return errors.New("repository URL has no path")
	case strings.HasPrefix(path, "-") || strings.HasPrefix(u.Hostname(), "-") || strings.HasPrefix(u.User.Username(), "-"):
		return errors.New("part of the repository URL looks like an option")
	}
	return nil
}

// Source returns the argument for git clone: a URL or an absolute path, "" when fresh. A relative
// path is in dir, ~ is home.
func (r Repo) Source(dir, home string) string {
	switch {
	case r.Kind == RepoGitHub:
		return "https://github.com/" + r.Name + ".git"
	case r.Kind != RepoPath:
		return r.Name
	case r.Name == "~" || strings.HasPrefix(r.Name, "~/"):
		return filepath.Join(home, strings.TrimPrefix(r.Name, "~"))
	case filepath.IsAbs(r.Name):
		return filepath.Clean(r.Name)
	}
	return filepath.Join(dir, r.Name)
}

// String returns the repository as a captain would write it.
func (r Repo) String() string {
	if r.Kind == RepoFresh || r.Name == "" {
		return "none"
	}
	return r.Name
}
