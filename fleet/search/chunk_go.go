package search

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// cutGo cuts a Go file into functions, methods, types and groups of values. It returns false if the file cannot be
// parsed.
func cutGo(text string) ([]Chunk, bool) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if f == nil || err != nil && len(f.Decls) == 0 {
		return nil, false
	}
	g := goFile{text: text, file: files.File(f.FileStart)}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			g.function(d)
		case *ast.GenDecl:
			g.general(d)
		}
	}
	return g.chunks, true
}

type goFile struct {
	text   string
	file   *token.File
	chunks []Chunk
}

// source returns the text between two positions.
func (g *goFile) source(from, to token.Pos) string {
	return g.text[g.file.Offset(from):g.file.Offset(to)]
}

// add adds a chunk, which begins with its comment.
func (g *goFile) add(c Chunk, doc *ast.CommentGroup, from, to token.Pos) {
	if doc != nil {
		c.comment = doc.Text()
		from = doc.Pos()
	}
	c.From, c.To = g.file.Offset(from), g.file.Offset(to)
	c.Start, c.End = g.file.Line(from), g.file.Line(to)
	g.chunks = append(g.chunks, c)
}

func (g *goFile) function(d *ast.FuncDecl) {
	c := Chunk{Kind: Function, Name: d.Name.Name, signature: g.source(d.Type.Params.Pos(), d.Type.End())}
	if d.Recv != nil && len(d.Recv.List) > 0 {
		c.Kind = Method
		c.signature = g.source(d.Recv.Pos(), d.Recv.End()) + " " + c.signature
		if of := receiver(d.Recv.List[0].Type); of != "" {
			c.Name = of + "." + c.Name
		}
	}
	g.add(c, d.Doc, d.Pos(), d.End())
}

// receiver returns the name of a receiver's type.
func receiver(t ast.Expr) string {
	for {
		switch is := t.(type) {
		case *ast.StarExpr:
			t = is.X
		case *ast.IndexExpr:
			t = is.X
		case *ast.IndexListExpr:
			t = is.X
		case *ast.ParenExpr:
			t = is.X
		case *ast.Ident:
			return is.Name
		default:
			return ""
		}
	}
}

func (g *goFile) general(d *ast.GenDecl) {
	switch d.Tok {
	case token.TYPE:
		for _, s := range d.Specs {
			t, ok := s.(*ast.TypeSpec)
			if !ok {
				continue
			}
			doc, from := t.Doc, t.Pos()
			if !d.Lparen.IsValid() {
				doc, from = d.Doc, d.Pos()
			}
			g.add(Chunk{Kind: Type, Name: t.Name.Name}, doc, from, t.End())
		}
	case token.CONST, token.VAR:
		var names []string
		for _, s := range d.Specs {
			if v, ok := s.(*ast.ValueSpec); ok {
				for _, n := range v.Names {
					names = append(names, n.Name)
				}
			}
		}
		name := ""
		if len(names) > 0 {
			name = names[0]
		}
		g.add(Chunk{Kind: Value, Name: name, signature: strings.Join(names, " ")}, d.Doc, d.Pos(), d.End())
	}
}
