package mailbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func open(t *testing.T, dir string) *Box {
	t.Helper()
	b, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func ids(b *Box) []string {
	var all []string
	for _, m := range b.All() {
		all = append(all, m.ID)
	}
	return all
}

func TestOrderAndOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mail")
	b := open(t, dir)
	for i := range 12 {
		if err := b.Add(Message{ID: fmt.Sprintf("message-%d", i), Text: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Add(Message{ID: "message-3", Text: "again"}); err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		changed := b.Changed()
		m, ok, err := b.NextMessage()
		if err != nil || !ok || m.ID != fmt.Sprintf("message-%d", i) || m.Text != fmt.Sprint(i) {
			t.Fatalf("the first is %+v, %t", m, ok)
		}
		if err := b.Remove(m.ID); err != nil {
			t.Fatal(err)
		}
		<-changed
		b = open(t, dir)
		if err := b.Add(m); err != nil || b.Len() != 11-i || !b.WasDone(m.ID) || b.Has(m.ID) {
			t.Fatalf("%s came in again: %v, %v", m.ID, err, ids(b))
		}
	}
}

// Wherever a kill interrupts, no message is lost and none is delivered twice.
func TestKills(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir)
	for _, id := range []string{"message-a", "message-b", "message-c"} {
		if err := b.Add(Message{ID: id, Text: id}); err != nil {
			t.Fatal(err)
		}
	}
	// Killed after the id was recorded and before the file was removed.
	file, err := os.ReadFile(filepath.Join(dir, "000000000001-message-a.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Remove("message-a"); err != nil {
		t.Fatal(err)
	}
	// Killed while a file was written: renameio leaves a temporary file.
	if err := errors.Join(
		os.WriteFile(filepath.Join(dir, "000000000001-message-a.json"), file, 0o600),
		os.WriteFile(filepath.Join(dir, ".000000000004-message-d.json123"), []byte(`{"id":"mess`), 0o600),
		os.WriteFile(filepath.Join(dir, "000000000002-message-b.json"), []byte("damaged"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	b = open(t, dir)
	if got := ids(b); !slices.Equal(got, []string{"message-c"}) {
		t.Errorf("the box has %v", got)
	}
	if b.Len() != 1 {
		t.Errorf("%d are counted", b.Len())
	}
	if m, ok, err := b.NextMessage(); err != nil || !ok || m.ID != "message-c" || b.Len() != 1 {
		t.Errorf("the first is %+v, %t, %v", m, ok, err)
	}
}

// A message that cannot be read now stays in the mailbox, and those behind it wait.
func TestReadLater(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir)
	for _, id := range []string{"message-a", "message-b", "message-c"} {
		if err := b.Add(Message{ID: id, Text: id}); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "000000000002-message-b.json")
	if err := errors.Join(os.Rename(file, file+".aside"), os.Mkdir(file, 0o700)); err != nil { // a directory in place of the file cannot be read
		t.Fatal(err)
	}
	if got := ids(b); !slices.Equal(got, []string{"message-a"}) {
		t.Errorf("it gives %v", got)
	}
	if err := b.Remove("message-a"); err != nil {
		t.Fatal(err)
	}
	if m, ok, err := b.NextMessage(); err == nil || ok || m.ID != "message-b" || b.Len() != 2 {
		t.Errorf("the first is %+v, %t, %v of %d", m, ok, err, b.Len())
	}
	if err := errors.Join(os.Remove(file), os.Rename(file+".aside", file)); err != nil {
		t.Fatal(err)
	}
	if m, ok, err := b.NextMessage(); err != nil || !ok || m.Text != "message-b" {
		t.Errorf("then the first is %+v, %t, %v", m, ok, err)
	}
	if got := ids(b); !slices.Equal(got, []string{"message-b", "message-c"}) {
		t.Errorf("then it gives %v", got)
	}
	// A message whose file is gone no longer counts.
	changed := b.Changed()
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if m, ok, err := b.NextMessage(); err != nil || !ok || m.ID != "message-c" || b.Len() != 1 {
		t.Errorf("at last the first is %+v, %t, %v", m, ok, err)
	}
	<-changed
}

func TestRefusals(t *testing.T) {
	b := open(t, t.TempDir())
	for _, id := range []string{"", "short", "../../../etc/passwd", "with space", strings.Repeat("x", 65)} {
		if err := b.Add(Message{ID: id}); err == nil {
			t.Errorf("%q was taken", id)
		}
	}
	for i := range Most {
		if err := b.Add(Message{ID: fmt.Sprintf("message-%d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Add(Message{ID: "one-too-many"}); !errors.Is(err, ErrFull) {
		t.Errorf("a full box said %v", err)
	}
}

// TestOpenWhileTakenOut lets the server of a ship open the mailbox while the runner removes messages from it.
func TestOpenWhileTakenOut(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mail")
	over := make(chan struct{})
	go func() {
		defer close(over)
		b, err := Open(dir)
		for i := 0; i < 50 && err == nil; i++ {
			id := fmt.Sprintf("message-%d", i)
			err = errors.Join(b.Add(Message{ID: id}), b.Remove(id))
		}
		if err != nil {
			t.Error(err)
		}
	}()
	for {
		if _, err := Open(dir); err != nil {
			t.Error(err)
		}
		select {
		case <-over:
			return
		default:
		}
	}
}
