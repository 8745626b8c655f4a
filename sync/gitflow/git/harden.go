package git

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"strconv"
	"strings"

	"ocaptain/sync/holders"
)

// password matches what must never be shown of a URL.
var password = regexp.MustCompile(`://[^/@\s]*@`)

// hardened is the configuration under which git touches anything that a remote may have written. Settings of the
// repository itself still apply where this list is silent; what could run a command there is taken out by Disarm.
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
	{"core.filesRefLockTimeout", "300"}, // who needs longer asks again
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

// hardenedEnv is the environment of every git command: nothing of the user's own git settings, no prompt, one language.
func hardenedEnv(more [][2]string) []string {
	env := ForeignEnv()
	env = append(env, holders.Ours,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_ATTR_NOSYSTEM=1", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat", "GIT_EDITOR=false", "LC_ALL=C")
	return append(env, ConfigEnv(hardened, more)...)
}

// ForeignEnv is this process's environment without what steers git.
func ForeignEnv() []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") && !strings.HasPrefix(kv, "LC_ALL=") {
			env = append(env, kv)
		}
	}
	return env
}

// ConfigEnv passes settings to git without the argument list.
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

// Disarm returns the repository with every filter and merge driver that its own configuration names overridden, so that a
// .gitattributes file from a remote can't put them to work. Large-file pointers therefore stay pointers in the tree,
// and files with a merge driver are merged as text.
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

// harmless tells, without asking git, that the repository's configuration cannot name a filter or a merge driver.
func harmless(r Repo) bool {
	raw, err := os.ReadFile(r.Path("config"))
	if err != nil {
		return false
	}
	text := strings.ToLower(string(raw))
	for _, word := range []string{"filter", "[merge", "include", "worktreeconfig"} {
		if strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// QuarantinePrefix begins the names of object directories for what is not trusted yet. Git's own upkeep knows the
// first part and removes what is long dead.
const QuarantinePrefix = "tmp_objdir-ocaptain-"
