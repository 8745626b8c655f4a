package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// What a confined ship sees of this machine besides its own directories, all of it read-only. A list
// of what to show is a wall; a list of what to hide has holes.
var (
	// systemDirs hold programs and libraries.
	systemDirs = []string{
		"/usr", "/opt", "/gnu/store",
		"/nix/store", "/nix/var/nix/profiles", // and not its daemon's socket
		"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
		"/run/current-system", // NixOS and Guix: every program
		"/etc/profiles",       // NixOS: a user's programs
		"/etc/static",         // NixOS: what files in /etc are links to
	}

	// systemFiles are patterns below /etc for what programs read, without keys and without what groups may read.
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

// View is what a sandbox shows of this machine besides systemDirs and systemFiles.
type View struct {
	Program string   // is at Program in there
	Shown   []string // files and directories, to be read
	Hidden  []string // directories that are not seen even where a shown one holds them
	Nested  bool     // programs may make user namespaces, and so walls of their own
}

// Dirs are the directories of this machine that are seen.
func (v View) Dirs() []string {
	return slices.DeleteFunc(slices.Concat(systemDirs, v.Shown), func(dir string) bool {
		info, err := os.Lstat(dir)
		return err != nil || info.Mode()&os.ModeSymlink != 0
	})
}

// Sees tells whether a directory is found.
func (v View) Sees(dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || !filepath.IsAbs(dir) {
		return false
	}
	shown := slices.Concat(systemDirs, v.Shown)
	return isUnder(dir, shown) && isUnder(real, realNames(shown))
}

// system are bubblewrap's arguments that show systemDirs and systemFiles. A link stays one where its
// target is shown, as programs read where some of them lead.
func system() []string {
	names := slices.Clone(systemDirs)
	for _, pattern := range systemFiles {
		found, _ := filepath.Glob("/etc/" + pattern) // the patterns are good
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

// System are shell patterns of what every sandbox shows of a machine.
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

// ParseBind reads an entry of the captain's list of what ships see besides: the name of a file or
// directory, absolute or after ~/. The returned name has no symbolic link.
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

// isUnder tells whether name is one of the directories or in one.
func isUnder(name string, dirs []string) bool {
	for _, dir := range dirs {
		if name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/") {
			return true
		}
	}
	return false
}
