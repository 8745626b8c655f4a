package git

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ocaptain/sync/holders"
)

// password matches user and password in a URL, which must never be shown.
var password = regexp.MustCompile(`://[^/@\s]*@`)

// hardened is the configuration for every git that handles what a remote may have written. Settings of the repository
// itself still apply where this list has none; Disarm overrides the settings that could run a command.
var hardened = [][2]string{
	{"core.hooksPath", os.DevNull},
	{"core.attributesFile", os.DevNull},
	{"core.fsmonitor", "false"},
	{"core.sparseCheckout", "false"},
	{"core.splitIndex", "false"},
	{"core.autocrlf", "false"},
	{"core.safecrlf", "false"},
	{"core.fileMode", "true"},
	{"core.symlinks", "true"},
	{"core.protectHFS", "true"},
	{"core.protectNTFS", "true"},
	{"core.quotePath", "false"},
	{"core.filesRefLockTimeout", "300"}, // UpdateRefs tries again
	{"core.packedRefsTimeout", "300"},
	{"checkout.workers", "0"}, // as many as there are cores
	{"protocol.allow", "never"},
	{"submodule.recurse", "false"},
	{"gc.auto", "0"},
	{"maintenance.auto", "false"},
	{"merge.conflictStyle", "zdiff3"},
	{"merge.renormalize", "false"},
	{"log.showSignature", "false"},
	{"diff.ignoreSubmodules", "dirty"},
	{"status.showUntrackedFiles", "all"},
	{"advice.addEmbeddedRepo", "false"},
}

// hardenedEnv returns the environment of every git command: without the user's git settings, without prompts, in
// English.
func hardenedEnv(more [][2]string) []string {
	env := ForeignEnv()
	env = append(env, holders.Ours,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_ATTR_NOSYSTEM=1", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat", "GIT_EDITOR=false", "LC_ALL=C")
	return append(env, ConfigEnv(hardened, more)...)
}

// ForeignEnv returns this process's environment without variables that affect git.
func ForeignEnv() []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") && !strings.HasPrefix(kv, "LC_ALL=") {
			env = append(env, kv)
		}
	}
	return env
}

// ConfigEnv returns environment variables that pass settings to git.
func ConfigEnv(sets ...[][2]string) []string {
	var env []string
	n := 0
	for _, set := range sets {
		for _, kv := range set {
			i := strconv.Itoa(n)
			env = append(env, "GIT_CONFIG_KEY_"+i+"="+kv[0], "GIT_CONFIG_VALUE_"+i+"="+kv[1])
			n++
		}
	}
	return append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(n))
}

// Disarm returns a copy of r that overrides every filter and merge driver of the repository's configuration, so that
// a .gitattributes file from a remote can't run them. So large-file pointers stay pointers in the tree, and git
// merges files with a merge driver as text.
func (r Repo) Disarm(ctx context.Context) (Repo, error) {
	if harmless(r) {
		return r, nil
	}
	names, err := r.Bytes(ctx, nil, "config", "--includes", "--name-only", "-z", "--get-regexp", `^(filter|merge)\..*\.`)
	if err != nil && ExitCode(err) != 1 {
		return r, err
	}
	seen := map[string]bool{}
	for key := range bytes.SplitSeq(names, []byte{0}) {
		section, name, ok := CutKey(string(key))
		driver := section + "." + name
		if !ok || seen[driver] {
			continue
		}
		seen[driver] = true
		if section == "merge" {
			r = r.Set(driver+".driver", "git merge-file --zdiff3 --marker-size=%L -L "+LabelBranch+" -L base -L "+LabelYours+" %A %O %B")
			continue
		}
		for _, kv := range WithoutFilter(name) {
			r = r.Set(kv[0], kv[1])
		}
	}
	return r, nil
}

// harmless reports, without starting git, that the repository's configuration has no filter and no merge driver.
func harmless(r Repo) bool { return r.ConfigLacks("filter", "[merge", "include", "worktreeconfig") }

// ConfigLacks reports that the repository's configuration has none of the words, which are in lower case. It does not
// read included files.
func (r Repo) ConfigLacks(words ...string) bool {
	raw, err := os.ReadFile(r.Path("config"))
	if err != nil {
		return false
	}
	text := strings.ToLower(string(raw))
	return !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// QuarantinePrefix begins the names of directories for objects that are not trusted yet. git gc removes old
// directories that begin with tmp_objdir-.
const QuarantinePrefix = "tmp_objdir-ocaptain-"
