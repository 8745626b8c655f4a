package wake

import "testing"

// TestNews: news wakes all goroutines that waited before it, and none that begins to wait after it.
func TestNews(t *testing.T) {
	var n News
	n.Send()
	one, two := n.Next(), n.Next()
	if isClosed(one) || isClosed(two) {
		t.Fatal("there is news before any")
	}
	n.Send()
	if !isClosed(one) || !isClosed(two) || isClosed(n.Next()) {
		t.Error("it is not news to those alone who waited")
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
