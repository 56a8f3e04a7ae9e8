package redact_test

import (
	"context"
	"fmt"

	"github.com/hearth-bot/hearth/memory/redact"
)

func Example() {
	var r redact.Redactor
	fmt.Println(r.Redact("我电话138 1234 5678，密码：hunter2，昨天花了199元"))
	for _, f := range r.Find("邮箱 li.si＠qq.com") {
		fmt.Println(f.Kind, f.Start, f.End)
	}
	// Output:
	// 我电话[手机号]，密码：[密码]，昨天花了199元
	// 邮箱 7 21
}

func ExampleNew() {
	r, err := redact.New(redact.Options{Words: []string{"林小满", "炉边科技"}})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Redact("林 小 满 在炉边科技上班"))
	// Output: [隐私] 在[隐私]上班
}

// RedactContext fits nit.Registry and Options of persona/social:
//
//	registry := nit.Registry{Redact: r.RedactContext}
func ExampleRedactor_RedactContext() {
	var r redact.Redactor
	hook := r.RedactContext
	text, err := hook(context.Background(), "身份证 11010519491231002X")
	fmt.Println(text, err)
	// Output: 身份证 [身份证] <nil>
}
