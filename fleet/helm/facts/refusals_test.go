package facts

import (
	"testing"
	"time"
)

func TestRefusals(t *testing.T) {
	var r Refusals
	r.Veto("1@1", "the check failed")
	if r.VetoOf("1@1") != "the check failed" || r.VetoOf("1@2") != "" {
		t.Errorf("%+v", r)
	}
	r.Clash(noon, "1@1", []string{"a"})
	r.Clash(noon.Add(time.Minute), "1@1", []string{"b"})
	if is, ok := r.ClashOf("1@1"); !ok || is.Tries != 2 || !is.Since.Equal(noon) || is.Paths[0] != "b" {
		t.Errorf("%+v", is)
	}
	if _, ok := r.ClashOf("1@2"); ok {
		t.Error("another claim has it")
	}
	r.Clash(noon, "1@2", nil)
	if is, _ := r.ClashOf("1@2"); is.Tries != 1 {
		t.Errorf("another claim counts: %+v", is)
	}
}
