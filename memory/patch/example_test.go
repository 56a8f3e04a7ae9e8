package patch_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/memory/patch"
)

// A conflict changes nothing, and its text tells the model how to fix the patch.
func ExampleApply() {
	doc := "#### 用户画像推测\n**用户特征**\n空，还没有产生过推测。\n"
	doc, err := patch.Apply(doc, `*** Begin Patch
@@ #### 用户画像推测
 **用户特征**
-空，还没有产生过推测。
+喜欢二次元与技术折腾。
*** End Patch`)
	fmt.Print(doc)
	fmt.Println(err)

	_, err = patch.Apply(doc, `*** Begin Patch
@@ #### 用户画像推测
-喜欢二次元与技术折腾.
*** End Patch`)
	fmt.Println(errors.Is(err, patch.ErrConflict))
	fmt.Println(err)
	// Output:
	// #### 用户画像推测
	// **用户特征**
	// 喜欢二次元与技术折腾。
	// <nil>
	// true
	// patch: hunk 1 (#### 用户画像推测): the document has no line "喜欢二次元与技术折腾." there; line 3 is "喜欢二次元与技术折腾。" (full-width and half-width characters differ)
}

// A History supports undo, and is stored as JSON.
func ExampleHistory() {
	now := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	var tasks patch.History
	tasks.Apply(now, "*** Begin Patch\n@@ # 任务\n+- 提醒喝水\n*** End Patch", "planning")
	tasks.Apply(now, "*** Begin Patch\n@@ # 任务\n-- 提醒喝水\n*** End Patch", "planning")
	fmt.Println(tasks.Undo())
	for v := range tasks.Versions() {
		fmt.Printf("%d %s %q\n", v.Number, v.Note, v.Text)
	}
	// Output:
	// <nil>
	// 1 planning "# 任务\n- 提醒喝水\n"
	// 0  ""
}
