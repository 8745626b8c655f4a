package exedevtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

// result is the result of a command of the lobby.
type result struct {
	out     string
	code    int    // exit code of the command
	unknown bool   // no such command exists
	bare    string // the output over SSH if it differs from out, "" otherwise
}

func answer(v any) result {
	b, err := json.Marshal(v)
	if err != nil {
		return refuse("%v", err)
	}
	return result{out: string(b) + "\n"}
}

func refuse(format string, args ...any) result {
	b, _ := json.Marshal(map[string]string{"error": fmt.Sprintf(format, args...)})
	return result{out: string(b) + "\n", code: 1}
}

// carryOut executes a command.
func (f *Fake) carryOut(words []string) result {
	given, rest := flags(words)
	switch commandName(words) {
	case "ls":
		return f.ls()
	case "new":
		return f.create(given)
	case "rm":
		for _, name := range rest[1:] {
			if !f.remove(name) {
				return refuse("VM %q not found", name)
			}
		}
		return answer(map[string]any{"deleted": rest[1:]})
	case "restart":
		if len(rest) != 2 || !f.restart(rest[1]) {
			return refuse("VM %q not found", strings.Join(rest[1:], " "))
		}
		return answer(map[string]any{"vm_name": rest[1], "status": "starting"})
	case "whoami":
		f.mu.Lock()
		defer f.mu.Unlock()
		keys := []map[string]string{}
		for _, print := range slices.Sorted(maps.Keys(f.keys)) {
			keys = append(keys, map[string]string{"fingerprint": print})
		}
		return answer(map[string]any{"email": cmp.Or(f.config.Email, "ada@example.org"), "ssh_keys": keys})
	case "ssh-key add":
		return f.addKey(strings.Join(rest[2:], " "))
	case "ssh":
		if len(words) < 3 {
			return refuse("ssh needs a command here")
		}
		return f.inMachine(words[1], strings.Join(words[2:], " "))
	case "help":
		return result{out: "ls new rm restart whoami ssh-key ssh\n"}
	}
	return result{out: fmt.Sprintf("unknown command %q\n", words[0]), code: 127, unknown: true}
}

// commandName returns the name by which a token may allow a command: its first word, or its first two.
func commandName(words []string) string {
	if len(words) > 1 && words[0] == "ssh-key" {
		return words[0] + " " + words[1]
	}
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// defaults are the commands that a token allows if it names none.
var defaults = []string{"help", "ls", "new", "whoami", "ssh-key list", "share show"}

func (f *Fake) ls() result {
	hidden := false
	if fault, ok := f.fault("ls status"); ok {
		hidden = fault == Hidden
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.listed(f.vms, hidden)
}

// listed returns a list of machines. The caller holds Fake.mu.
func (f *Fake) listed(vms map[string]*machine, hidden bool) result {
	if len(vms) == 0 {
		return result{out: "{\"vms\":null}\n", bare: string(f.config.Nothing)}
	}
	var all []map[string]string
	for _, name := range slices.Sorted(maps.Keys(vms)) {
		told := vms[name].told(f.config)
		if hidden {
			told["status"] = "daydreaming"
		}
		all = append(all, told)
	}
	return answer(map[string]any{"vms": all})
}

var (
	nameRule  = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)
	endsInNum = regexp.MustCompile(`-[0-9]+$`)
)

func (f *Fake) create(given map[string]string) result {
	name := given["name"]
	for flag := range given {
		if !slices.Contains([]string{"name", "image", "no-email", "env", "command", "prompt", "json"}, flag) {
			return refuse("unknown flag --%s", flag)
		}
	}
	if !nameRule.MatchString(name) || endsInNum.MatchString(name) {
		return refuse("invalid VM name %q: must be a lowercase DNS label and not end in -<digits>", name)
	}
	f.mu.Lock()
	switch {
	case f.vms[name] != nil || f.opening[name]:
		f.mu.Unlock()
		return refuse("VM name %q is already taken", name)
	case f.config.Machines > 0 && len(f.vms)+len(f.opening) >= f.config.Machines:
		f.mu.Unlock()
		return refuse("VM limit reached: your plan allows %d", f.config.Machines)
	}
	f.opening[name] = true
	f.mu.Unlock()
	m, err := f.build(name)
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.opening, name)
	if err != nil {
		return refuse("internal error: %v", err)
	}
	f.before = maps.Clone(f.vms)
	f.vms[name] = m
	return answer(m.told(f.config))
}

func (f *Fake) addKey(line string) result {
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(line))
	if err != nil {
		return refuse("not a public key")
	}
	print := ssh.FingerprintSHA256(key)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.keys[print] != nil {
		return refuse("this key is already registered")
	}
	f.keys[print] = key
	return answer(map[string]any{"fingerprint": print})
}
