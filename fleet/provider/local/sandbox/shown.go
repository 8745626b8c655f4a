package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// What every sandboxed ship sees of this machine besides its own directories, all read-only. These are lists of what
// to show, since a list of what to hide would have gaps.
var (
	// systemDirs hold programs and libraries.
	systemDirs = []string{
		"/usr", "/opt", "/gnu/store",
		"/nix/store", "/nix/var/nix/profiles", // without its daemon's socket
		"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
		"/run/current-system", // NixOS and Guix: all programs
		"/etc/profiles",       // NixOS: a user's programs
		"/etc/static",         // NixOS: the targets of links in /etc
	}

	// systemFiles are patterns below /etc for files that programs read. They match no keys, and no files that only groups
	// may read.
	systemFiles = []string{
		"alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d",
		"ssl/certs", "ssl/cert.pem", "ssl/openssl.cnf", "ca-certificates", "ca-certificates.conf", "crypto-policies",
		"pki/ca-trust", "pki/tls/certs", "pki/tls/cert.pem", "pki/tls/openssl.cnf",
		"hosts", "host.conf", "gai.conf", "nsswitch.conf", "resolv.conf", "protocols", "services",
		"localtime", "timezone", "locale.conf", "os-release", "debian_version", "redhat-release", "alpine-release",
		"bash.bashrc", "bashrc", "profile", "profile.d", "inputrc", "shells", "terminfo", "mime.types", "magic", "fonts",
		"java*", "maven", "python3*", "perl", "php*", "R", "vim", "tmux.conf",
	}
)

// View says what a sandbox shows of this machine besides systemDirs and systemFiles.
type View struct {
	Program string   // a file that the sandbox shows at Program
	Shown   []string // files and directories to show, read-only
	Hidden  []string // directories to hide even inside a shown one
	Nested  bool     // programs may make user namespaces, and so sandboxes
}

// Dirs returns the directories of this machine that the sandbox shows.
func (v View) Dirs() []string {
	return slices.DeleteFunc(slices.Concat(systemDirs, v.Shown), func(dir string) bool {
		info, err := os.Lstat(dir)
		return err != nil || info.Mode()&os.ModeSymlink != 0
	})
}

// Sees reports whether the sandbox shows a directory.
func (v View) Sees(dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || !filepath.IsAbs(dir) {
		return false
	}
	shown := slices.Concat(systemDirs, v.Shown)
	return isUnder(dir, shown) && isUnder(real, realNames(shown))
}

// system returns bubblewrap's arguments that show systemDirs and systemFiles. A link stays a link if its target is
// shown, as programs read where some links lead.
func system() []string {
	names := slices.Clone(systemDirs)
	for _, pattern := range systemFiles {
		found, _ := filepath.Glob("/etc/" + pattern) // the patterns are valid
		names = append(names, found...)
	}
	shown := realNames(systemDirs)
	var args []string
	for _, name := range names {
		real, err := filepath.EvalSymlinks(name)
		if err != nil {
			continue
		}
		target, err := os.Readlink(name)
		if err == nil && isUnder(real, shown) {
			args = append(args, "--symlink", target, name)
		} else {
			args = append(args, bind("--ro-bind", real, name)...)
		}
	}
	return args
}

// System returns shell patterns for what every sandbox shows of a machine.
func System() []string {
	names := slices.Clone(systemDirs)
	for _, pattern := range systemFiles {
		names = append(names, "/etc/"+pattern)
	}
	return names
}

func realNames(names []string) []string {
	var real []string
	for _, name := range names {
		if r, err := filepath.EvalSymlinks(name); err == nil {
			real = append(real, r)
		}
	}
	return real
}

// ParseBind parses an entry in the captain's list of what ships see: the path of a file or directory, absolute or
// starting with ~/. The returned path contains no symbolic link.
func ParseBind(text, home string) (string, error) {
	name := text
	if rest, ok := strings.CutPrefix(text, "~/"); ok {
		name = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(name) {
		return "", errors.New("is not absolute; begin it with / or ~/")
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return "", fmt.Errorf("cannot be shown: %w; correct it or remove it", err)
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", fmt.Errorf("cannot be shown: %w", err)
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		return "", errors.New("is neither a directory nor a file; through a socket or a device ships could act as you")
	}
	if realHome, err := filepath.EvalSymlinks(home); err == nil && isUnder(realHome, []string{real}) {
		return "", errors.New("holds your home directory; name what ships need of it")
	}
	for _, kernel := range []string{"/proc", "/sys", "/dev"} {
		if isUnder(real, []string{kernel}) {
			return "", errors.New("belongs to the kernel; ships have their own")
		}
	}
	return real, nil
}

// isUnder reports whether name is one of the directories or inside one.
func isUnder(name string, dirs []string) bool {
	for _, dir := range dirs {
		if name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/") {
			return true
		}
	}
	return false
}
