package tasks

import (
	"strings"
	"testing"
	"unicode"
)

func TestParseRepo(t *testing.T) {
	for _, c := range []struct {
		text   string
		kind   RepoKind
		source string
	}{
		{"", RepoFresh, ""},
		{" none\n", RepoFresh, ""},
		{"smithclay/ocaptain", RepoGitHub, "https://github.com/smithclay/ocaptain.git"},
		{"a/b.git", RepoGitHub, "https://github.com/a/b.git"},
		{"a/.github", RepoGitHub, "https://github.com/a/.github.git"},
		{"https://example.org/a/b.git", RepoURL, "https://example.org/a/b.git"},
		{"https://me@dev.example.org/a/b", RepoURL, "https://me@dev.example.org/a/b"},
		{"ssh://git@example.org:2222/~a/b.git", RepoURL, "ssh://git@example.org:2222/~a/b.git"},
		{"git://example.org/b", RepoURL, "git://example.org/b"},
		{"git@example.org:a/b.git", RepoURL, "git@example.org:a/b.git"},
		{"git@[::1]:a/b.git", RepoURL, "git@[::1]:a/b.git"},
		{"host:b", RepoURL, "host:b"},
		{"file:///srv/b.git", RepoURL, "file:///srv/b.git"},
		{"/srv/b", RepoPath, "/srv/b"},
		{"./b", RepoPath, "/plan/b"},
		{"..", RepoPath, "/"},
		{"~/b c", RepoPath, "/home/me/b c"},
	} {
		r, err := ParseRepo(c.text)
		if err != nil || r.Kind != c.kind || r.Source("/plan", "/home/me") != c.source {
			t.Errorf("%q: %+v, source %q, %v", c.text, r, r.Source("/plan", "/home/me"), err)
		}
	}
}

func TestParseRepoRefuses(t *testing.T) {
	for _, text := range []string{
		"--upload-pack=touch /tmp/x", "-a/b", "repo", "a/b/c", "a/..", "a/.", "../\x1b[2J", "a/b\nc",
		"ext::sh -c 'touch /tmp/x'", "fd::7", "a+b::c", "ftp://example.org/a", "https:///a/b", "https://example.org", "https://example.org/",
		"ssh://-oProxyCommand=x/a", "ssh://git@-host/a", "ssh://host/-a", "ssh://-a@host/b", "-h:a", "user@-h:a", "host:-a", "host::a",
		"file://other/a", "https://me:secret@example.org/a/b", "https://ghp_secret@example.org/a/b", "https://me:secret@exa mple.org/a",
		strings.Repeat("a", 3000), "a/\xff",
	} {
		if r, err := ParseRepo(text); err == nil {
			t.Errorf("%q is taken as %+v", text, r)
		} else if strings.Contains(err.Error(), "secret@") {
			t.Errorf("%q: the error repeats the secret: %v", text, err)
		}
	}
}

func FuzzParseRepo(f *testing.F) {
	f.Add("a/b")
	f.Add("ext::sh")
	f.Add("ssh://git@h/a")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRepo(text)
		if err != nil {
			return
		}
		source := r.Source("/plan", "/home/me")
		if strings.HasPrefix(source, "-") || strings.ContainsFunc(source, unicode.IsControl) {
			t.Errorf("%q gives %q", text, source)
		}
		if transport().MatchString(source) {
			t.Errorf("%q gives the transport %q", text, source)
		}
		again, err := ParseRepo(r.String())
		if err != nil || again != r {
			t.Errorf("%q: %+v reads back as %+v, %v", text, r, again, err)
		}
	})
}
