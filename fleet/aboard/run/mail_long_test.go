//go:build long

package run

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
)

// Every message arrives exactly once, in order and unchanged, although serve is killed and the link is cut meanwhile.
// OCAPTAIN_SENDS=1000 sends a thousand messages.
func TestRealClaudeHearsWhatIsSent(t *testing.T) {
	t.Parallel()
	n := 40
	if s, err := strconv.Atoi(os.Getenv("OCAPTAIN_SENDS")); err == nil {
		n = s
	}
	dir, _, _ := realClaude(t, func(loopback.Request) loopback.Reply { return loopback.Say("Aye.") })
	helm := aboardtest.NewHelm(t)
	r := rand.New(rand.NewPCG(1, uint64(n)))
	var sent []mailbox.Message
	for i := range n {
		sent = append(sent, mailbox.Message{ID: fmt.Sprintf("message-%d", i), Text: randomText(r)})
	}
	var mu sync.Mutex
	serve := helm.Spawn(dir)
	get := func() *aboardtest.ServeProcess { mu.Lock(); defer mu.Unlock(); return serve }
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() { // cuts links and kills serves
		defer close(stopped)
		moments := rand.New(rand.NewPCG(2, 2))
		for {
			select {
			case <-eventually.Later(time.Duration(300+moments.IntN(4000)) * time.Millisecond):
			case <-stop:
				return
			}
			if was := get(); moments.IntN(2) == 0 {
				was.Kill()
			} else {
				was.End()
			}
			next := helm.Spawn(dir)
			mu.Lock()
			serve = next
			mu.Unlock()
		}
	}()
	began := time.Now()
	waiting := func() int {
		all, _ := filepath.Glob(filepath.Join(dir, ".ocaptain", "mail", "*.json"))
		return len(all)
	}
	for i := range n { // send it again if it is unknown whether it was taken, as helm does
		eventually.Succeeds(t, "a message is taken", func() error {
			var got proto.Mail
			return get().Conn.Call(t.Context(), proto.MethodMail, sent[i], &got)
		})
		eventually.Holds(t, "few messages wait", func() bool { return waiting() < 20 })
	}
	eventually.Holds(t, "all messages", func() bool { return waiting() == 0 })
	took := time.Since(began)
	close(stop)
	<-stopped
	get().End()
	prompts := promptsOf(t, dir)
	claude, err := agent.Lookup("claude")
	if err != nil {
		t.Fatal(err)
	}
	for i := range max(len(sent), len(prompts)) {
		switch {
		case i >= len(prompts):
			t.Fatalf("message %d did not arrive: %.200q", i, sent[i].Text)
		case i >= len(sent):
			t.Fatalf("%d messages arrived, %d were sent; the next is %.200q", len(prompts), n, prompts[i])
		case !claude.Box.Kept(prompts[i], sent[i].Text):
			t.Fatalf("message %d is\n%.600q, sent was\n%.600q", i, prompts[i], sent[i].Text)
		}
	}
	t.Logf("%d messages in %s, %s each", n, took.Round(time.Millisecond), (took / time.Duration(n)).Round(time.Millisecond))
}
