package dash

import (
	"strings"
	"testing"

	"ocaptain/ui/dash/feed"
	"ocaptain/ui/dash/shown"
)

// TestPicturesKeepTheRest checks what is drawn after a message that changes only live views: nothing but these. The
// test changes lists behind the dashboard's back to see when they are drawn.
func TestPicturesKeepTheRest(t *testing.T) {
	s := setStage(t, 160, 40, aBoard(t), nil, nil)
	pictures := feed.News{shown.FramesMsg{Of: s.m.v}}
	has := func(text string) bool { return strings.Contains(s.m.View().Content, text) }
	whole := s.m.View().Content
	s.do(pictures)
	if s.m.View().Content != whole {
		t.Errorf("the screen changes:\n%s\nbefore:\n%s", s.m.View().Content, whole)
	}

	s.m.v.Agents.SetError("first fault")
	s.do(pictures)
	if has("first fault") {
		t.Error("a list is drawn although only pictures change")
	}
	s.do(feed.News{shown.FramesMsg{Of: s.m.v}, shown.LogsMsg{Of: s.m.v}})
	if !has("first fault") {
		t.Error("a list is not drawn when pictures and logs change")
	}

	s.m.v.Agents.SetError("second fault")
	s.do(feed.News{shown.LogsMsg{Of: s.m.v}})
	s.do(pictures)
	if !has("second fault") {
		t.Error("a change is lost when pictures change before it is drawn")
	}
}

// BenchmarkPictures measures Update and View after a message that changes only live views, and after another one.
func BenchmarkPictures(b *testing.B) {
	for name, also := range map[string]feed.News{"pictures": nil, "all": {shown.LogsMsg{}}} {
		b.Run(name, func(b *testing.B) {
			s := setStage(b, 200, 50, aBoard(b), someLogs(), nil)
			news := append(feed.News{shown.FramesMsg{Of: s.m.v}}, also...)
			s.m.View()
			for b.Loop() {
				s.m.Update(news)
				s.m.View()
			}
		})
	}
}
