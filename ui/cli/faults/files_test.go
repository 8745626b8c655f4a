package faults

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"ocaptain/ui/cli/faults/reader"
)

// damages are what can happen to a file.
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

// views are files of a voyage that can be made from others, and truths those that status and helm live on.
var (
	views  = []string{"prompt.md", "logs/ship-0.jsonl", ".claude/tasks/*/1.json", "artifacts/spec.md"}
	truths = []string{"events.jsonl", "fleet.json", "voyage.json", "secrets.json", "snapshot.json"}
)

// files damage what is on the disk of the hub.
var files = func() (all []fault) {
	for _, how := range []string{"truncated", "emptied", "removed", "flipped", "put back"} {
		all = append(all,
			fault{name: "view " + how, strike: func(v *voyage) hit { return v.damage(how, views, false) }},
			fault{name: "view " + how + " while helm is down", strike: func(v *voyage) hit { return v.damage(how, views, true) }},
		)
		for _, file := range truths {
			all = append(all,
				fault{name: file + " " + how, strike: func(v *voyage) hit { return v.damage(how, []string{file}, false) }},
				fault{name: file + " " + how + " while helm is down", strike: func(v *voyage) hit { return v.damage(how, []string{file}, true) }},
			)
		}
	}
	return append(all,
		fault{name: "editor in the task directory", strike: func(v *voyage) hit {
			changed := false
			tasks, _ := filepath.Glob(filepath.Join(v.dir, ".claude", "tasks", "*", "[0-9]*.json"))
			for _, file := range tasks {
				raw, err := os.ReadFile(file)
				if err == nil {
					err = errors.Join(os.WriteFile(file+"~", raw, 0o644), os.Rename(file+"~", file))
				}
				if err != nil {
					v.note("%v", err)
				} else {
					changed = true
				}
			}
			return did(changed)
		}},
		fault{name: "voyage is away for a while", hides: []reader.Claim{reader.Answers, reader.Completions}, strike: func(v *voyage) hit {
			if err := os.Rename(v.dir, v.dir+"-away"); err != nil {
				v.note("%v", err)
				return did(false)
			}
			return did(true).until(func() {
				for range 20 { // helm may have made something in its place, again and again
					if os.Rename(v.dir+"-away", v.dir) == nil {
						break
					}
					v.note("it takes the place of another: %v", os.RemoveAll(v.dir))
				}
				v.look()
			})
		}},
	)
}()

// damage does something to one of some files. With down, helm is killed before and started after it.
func (v *voyage) damage(how string, names []string, down bool) hit {
	spoilt := false
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

// spoil does something to one of some files, and tells whether that is another one now.
func (v *voyage) spoil(how string, names []string) (spoilt bool) {
	found, _ := filepath.Glob(filepath.Join(v.dir, names[v.rng.IntN(len(names))]))
	for _, file := range found {
		was, _ := os.ReadFile(file)
		err := damages[how](v, file)
		is, gone := os.ReadFile(file)
		spoilt = spoilt || err == nil && (gone != nil || !bytes.Equal(was, is))
		v.note("%s is %s: %v", file, how, err)
	}
	return spoilt
}

// copyFiles keeps what files there are, to be put back later.
func (v *voyage) copyFiles() {
	v.copies = map[string][]byte{}
	for _, pattern := range append(append([]string{}, views...), truths...) {
		found, _ := filepath.Glob(filepath.Join(v.dir, pattern))
		for _, file := range found {
			if raw, err := os.ReadFile(file); err == nil {
				v.copies[file] = raw
			}
		}
	}
}
