package mutagen

import (
	"testing"

	"ocaptain/sync/mutagen/mutagentest"
	"ocaptain/tasks/eventually"
)

func TestTry(t *testing.T) {
	mutagentest.InPath(t)
	p, err := Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := Try(eventually.Context(t), p); err != nil {
		t.Error(err)
	}
	p.Path = "/bin/true"
	if err := Try(eventually.Context(t), p); err == nil {
		t.Error("a program that does nothing is good enough")
	}
}
