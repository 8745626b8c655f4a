package holders

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// GitAtWork reports whether a git command works on the repository or working tree at dir.
func GitAtWork(dir string) bool {
	return slices.ContainsFunc(processes(), func(p string) bool {
		_, _, works := gitProcessAt(p, dir)
		return works
	})
}

// Writers returns the git commands of other programs that may change the index or HEAD at dir. It leaves out a git
// that waits for an editor.
func Writers(dir string) []string {
	return slices.DeleteFunc(processes(), func(p string) bool {
		args, env, works := gitProcessAt(p, dir)
		return !works || slices.Contains(env, Ours) || readers[gitVerb(args)] || waitsForOther(p)
	})
}

// waitsForOther reports whether a process has children, but no git among them.
func waitsForOther(process string) bool {
	children, _ := os.ReadFile(filepath.Join(process, "task", filepath.Base(process), "children"))
	all := strings.Fields(string(children))
	return len(all) > 0 && !slices.ContainsFunc(all, func(child string) bool {
		name, _ := os.ReadFile(filepath.Join("/proc", child, "comm"))
		return strings.HasPrefix(string(name), "git")
	})
}

// gitProcessAt returns a process's arguments and environment, and whether it is a git command that works at dir. It
// reads the link to the program, a single system call for each process of the machine. The system hides that link as
// it hides the directory that a process works in: that of a zombie, and of another user's process.
func gitProcessAt(process, dir string) (args, env []string, works bool) {
	program, err := os.Readlink(process + "/exe")
	if err != nil || !strings.HasPrefix(filepath.Base(program), "git") {
		return nil, nil, false
	}
	cwd, err := os.Readlink(filepath.Join(process, "cwd"))
	args, env = list(process, "cmdline"), list(process, "environ")
	return args, env, err == nil && concerns(dir, cwd, args, env)
}

// Open returns which of the files a process has open; with written, open for writing.
func Open(files []string, written bool) map[string]bool {
	wanted := map[string]bool{}
	for _, f := range files {
		wanted[f] = true
	}
	open := map[string]bool{}
	for _, p := range processes() {
		fds, _ := os.ReadDir(filepath.Join(p, "fd"))
		for _, fd := range fds {
			to, err := os.Readlink(filepath.Join(p, "fd", fd.Name()))
			if err == nil && wanted[to] && !open[to] && (!written || writes(filepath.Join(p, "fdinfo", fd.Name()))) {
				open[to] = true
			}
		}
	}
	return open
}

// writes reports whether a file is open for writing, from its file in /proc/PID/fdinfo.
func writes(info string) bool {
	b, err := os.ReadFile(info)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(b)) {
		if octal, ok := strings.CutPrefix(line, "flags:"); ok {
			flags, err := strconv.ParseUint(strings.TrimSpace(octal), 8, 64)
			return err == nil && flags&(uint64(os.O_WRONLY)|uint64(os.O_RDWR)) != 0
		}
	}
	return false
}

// processes returns the directories in /proc of all processes.
func processes() []string {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	all := make([]string, 0, len(names))
	for _, name := range names {
		if name[0] >= '0' && name[0] <= '9' {
			all = append(all, "/proc/"+name)
		}
	}
	return all
}

// list reads a file of strings that end in zero bytes.
func list(process, name string) []string {
	b, _ := os.ReadFile(filepath.Join(process, name))
	return strings.Split(string(bytes.TrimSuffix(b, []byte{0})), "\x00")
}
