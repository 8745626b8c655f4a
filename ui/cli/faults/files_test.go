package faults

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"ocaptain/ui/cli/faults/reader"
)

// damages lists what can happen to a file.
var damages = map[string]func(v *voyage, file string) error{
	"truncated": func(v *voyage, file string) error {
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		return os.Truncate(file, int64(v.rng.IntN(int(info.Size())+1)))
	},
	"emptied": func(_ *voyage, file string) error { return os.Truncate(file, 0) },
	"removed": func(_ *voyage, file string) error { return os.Remove(file) },
	"flipped": func(v *voyage, file string) error {
		raw, err := os.ReadFile(file)
		if err != nil || len(raw) == 0 {
			return err
		}
		raw[v.rng.IntN(len(raw))] ^= 1 << v.rng.IntN(8)
		return os.WriteFile(file, raw, 0o644)
	},
	"put back": func(v *voyage, file string) error {
		raw, there := v.copies[file]
		if !there {
			return errors.New("no older copy")
		}
		return os.WriteFile(file, raw, 0o644)
	},
}

// views lists files of a voyage that helm can make again from others, and truths the files that status and helm
// depend on.
var (
	views  = []string{"prompt.md", "logs/ship-0.jsonl", ".claude/tasks/*/1.json", "artifacts/spec.md"}
	truths = []string{"events.jsonl", "fleet.json", "voyage.json", "secrets.json", "snapshot.json", "usage.json", "machines/*.json"}
)

// files lists faults that damage files on the hub's disk.
var files = func() (all []fault) {
	for _, how := range []string{"truncated", "emptied", "removed", "flipped", "put back"} {
		all = append(all,
			fault{name: "view " + how, strike: func(v *voyage) hit { return v.damage(how, views, false) }},
			fault{name: "view " + how + " while helm is down", strike: func(v *voyage) hit { return v.damage(how, views, true) }},
			fault{name: "verify.sh " + how, strike: func(v *voyage) hit { return v.damageVerify(how) }},
			fault{name: "mail " + how, places: []string{"claude"}, strike: func(v *voyage) hit { return v.damageMail(how) }},
		)
		for _, file := range truths {
			name := strings.Replace(file, "machines/*.json", "record of a machine", 1)
			var where []string
			if file == "usage.json" {
				where = []string{"claude"} // a script uses no tokens
			}
			all = append(all,
				fault{name: name + " " + how, places: where, strike: func(v *voyage) hit { return v.damage(how, []string{file}, false) }},
				fault{name: name + " " + how + " while helm is down", places: where, strike: func(v *voyage) hit { return v.damage(how, []string{file}, true) }},
			)
		}
	}
	return append(all,
		fault{name: "editor in the task directory", strike: func(v *voyage) hit {
			return v.editTasks(func(raw []byte) []byte { return raw })
		}},
		fault{name: "editor in the task directory that changes what it writes", strike: func(v *voyage) hit {
			return v.editTasks(func(raw []byte) []byte {
				var task map[string]any
				if json.Unmarshal(raw, &task) != nil {
					return raw
				}
				sorted, err := json.MarshalIndent(task, "", "\t") // other spaces, keys in another order
				if err != nil {
					return raw
				}
				return append(sorted, "\r\n"...)
			})
		}},
		fault{name: "voyage is away for a while", hides: []reader.Claim{reader.Answers, reader.Completions}, strike: func(v *voyage) hit {
			if err := os.Rename(v.dir, v.dir+"-away"); err != nil {
				v.note("%v", err)
				return did(false)
			}
			return did(true).until(func() {
				v.putBack(v.dir) // helm may have made something in its place, repeatedly
				v.look()
			})
		}},
	)
}()

// damage damages one of some files. With down, it kills helm before and starts it after the damage.
func (v *voyage) damage(how string, names []string, down bool) hit {
	spoilt := false
	if slices.Equal(names, []string{"usage.json"}) { // the file exists once an agent has reported its first turn
		v.until(30*time.Second, 100*time.Millisecond, func() bool { return len(v.find(names[0])) > 0 })
	}
	if down {
		v.undisturbed(func() {
			for len(v.hub()) > 0 {
				v.signal("hub", syscall.SIGKILL, v.hub())
			}
			spoilt = v.spoil(how, names)
		})
	} else {
		spoilt = v.spoil(how, names)
	}
	return did(spoilt).until(v.look)
}

// spoil damages one of some files, and reports whether the file has changed.
func (v *voyage) spoil(how string, names []string) (spoilt bool) {
	found := v.find(names[v.rng.IntN(len(names))])
	for _, file := range found {
		was, _ := os.ReadFile(file)
		err := damages[how](v, file)
		is, gone := os.ReadFile(file)
		spoilt = spoilt || err == nil && (gone != nil || !bytes.Equal(was, is))
		v.note("%s is %s: %v", file, how, err)
	}
	return spoilt
}

// find lists the files of a voyage that match a pattern. Records of machines are stored apart from voyages.
func (v *voyage) find(pattern string) []string {
	root := v.dir
	if strings.HasPrefix(pattern, "machines/") {
		root = v.hubState()
	}
	found, _ := filepath.Glob(filepath.Join(root, pattern))
	return found
}

// copyFiles keeps copies of the existing files, to be restored later.
func (v *voyage) copyFiles() {
	v.copies = map[string][]byte{}
	for _, pattern := range append(append([]string{}, views...), truths...) {
		found := v.find(pattern)
		for _, file := range found {
			if raw, err := os.ReadFile(file); err == nil {
				v.copies[file] = raw
			}
		}
	}
}
