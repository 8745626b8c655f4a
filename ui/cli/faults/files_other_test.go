package faults

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"ocaptain/tasks/eventually"
	"ocaptain/ui/cli/faults/reader"
)

// editTasks saves each file of the task directory, as an editor does: it renames a new file over the old one.
func (v *voyage) editTasks(change func([]byte) []byte) hit {
	saved := false
	tasks, _ := filepath.Glob(filepath.Join(v.dir, ".claude", "tasks", "*", "[0-9]*.json"))
	for _, file := range tasks {
		raw, err := os.ReadFile(file)
		if err == nil {
			err = errors.Join(os.WriteFile(file+"~", change(raw), 0o644), os.Rename(file+"~", file))
		}
		if err != nil {
			v.note("%v", err)
		}
		saved = saved || err == nil
	}
	return did(saved)
}

// damageVerify damages verify.sh, which has no copy. In the end the captain restores the script, and verifies again when a
// verification has failed meanwhile.
func (v *voyage) damageVerify(how string) hit {
	file := filepath.Join(v.dir, "artifacts", "verify.sh")
	if v.verifyScript == nil {
		v.verifyScript, _ = os.ReadFile(file)
	}
	spoilt := v.spoil(how, []string{"artifacts/verify.sh"})
	return did(spoilt).until(func() {
		v.note("%s is as it was: %v", file, os.WriteFile(file, v.verifyScript, 0o755))
		v.verifyAgain = true
	})
}

// damageMail sends a captain's message to a sleeping ship, and damages the message before the ship wakes up.
func (v *voyage) damageMail(how string) hit {
	ship := v.someShip()
	asleep := v.aboard(ship)
	v.signal(ship, syscall.SIGSTOP, asleep)
	awake := func() { v.signal(ship, syscall.SIGCONT, asleep) }
	send := v.command("send", v.id, ship, "Go on, please.")
	if err := send.Start(); err != nil {
		v.note("%v", err)
		return did(false).until(awake)
	}
	there := func() bool { return len(v.find("mail/*/*")) > 0 }
	spoilt := v.until(5*time.Second, 20*time.Millisecond, there) && v.spoil(how, []string{"mail/*/*"})
	return did(spoilt).until(func() {
		awake()
		unstuck := context.AfterFunc(eventually.Context(v), func() { _ = send.Process.Kill() })
		v.note("send: %v, stuck: %t", send.Wait(), !unstuck())
	})
}

// repair has the captain verify once more when the voyage ended while verify.sh was damaged.
func (v *voyage) repair() {
	if v.verifyAgain && v.memory.Look(v.journal()) == "verify failed" {
		v.verifyAgain = false
		out, code := v.run("verify", v.id)
		v.note("verify: exit %d %.200s", code, out)
	}
}

// unheard lists what status cannot know while helm does not answer.
var unheard = []reader.Claim{reader.Answers, reader.Deaths}
