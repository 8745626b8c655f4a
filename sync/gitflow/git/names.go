package git

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of Linux on names, in bytes.
const (
	MaxPath      = 4095
	maxComponent = 255
)

// BadPath returns why a tree must not contain path, "" if it may.
func BadPath(path string) string {
	if path == "" || len(path) > MaxPath {
		return "its path is too long"
	}
	for c := range strings.SplitSeq(path, "/") {
		switch {
		case c == "" || c == "." || c == "..":
			return "its path does not stay inside the tree"
		case len(c) > maxComponent:
			return "its name is too long"
		case strings.IndexByte(c, 0) >= 0:
			return "its name holds a zero byte"
		case isDotGit(c):
			return "the name is reserved for git on some file systems"
		}
	}
	return ""
}

// isDotGit reports whether some file system takes name for ".git": many file systems ignore case, HFS+ ignores certain code
// points, and NTFS ignores trailing dots and spaces and has streams and short names.
func isDotGit(name string) bool {
	name = FoldName(name)
	name, _, _ = strings.Cut(name, ":")
	name, _, _ = strings.Cut(name, `\`)
	name = strings.TrimRight(name, ". ")
	return name == ".git" || name == "git~1"
}

// IsModules reports whether path means .gitmodules on some file system.
func IsModules(path string) bool { return takenFor(path, ".gitmodules") }

// IsAttributes reports whether path means a .gitattributes file on some file system.
func IsAttributes(path string) bool {
	return takenFor(path[strings.LastIndexByte(path, '/')+1:], ".gitattributes")
}

func takenFor(path, name string) bool {
	path, _, _ = strings.Cut(FoldName(path), ":")
	return strings.TrimRight(path, ". ") == name
}

// FoldName returns name in lower case, without the code points that HFS+ ignores.
func FoldName(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 0x200c && c <= 0x200f, c >= 0x202a && c <= 0x202e, c >= 0x206a && c <= 0x206f, c == 0xfeff:
			return -1
		}
		return unicode.ToLower(c)
	}, name)
}

// IsRemoteName reports whether s is a valid name for a remote: short, plain, and valid as one part of a ref.
func IsRemoteName(s string) bool {
	if s == "" || len(s) > 100 || s[0] == '.' || s[0] == '-' || strings.HasSuffix(s, ".") ||
		strings.HasSuffix(s, ".lock") || strings.Contains(s, "..") {
		return false
	}
	for _, c := range []byte(s) {
		if c >= utf8.RuneSelf || !IsWord(c) && c != '.' {
			return false
		}
	}
	return true
}

// IsBranchName reports whether s is a valid branch name by the rules of git-check-ref-format(1). Names of earlier
// branches, such as @{-1}, are not valid.
func IsBranchName(s string) bool {
	if s == "HEAD" || strings.HasPrefix(s, "-") || strings.HasSuffix(s, ".") || strings.Contains(s, "..") || strings.Contains(s, "@{") {
		return false
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	for _, c := range []byte(s) {
		if c <= ' ' || c == 0x7f || strings.IndexByte(`~^:?*[\`, c) >= 0 {
			return false
		}
	}
	return true
}

// IsWord reports whether c is an ASCII letter or digit, _ or -.
func IsWord(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
