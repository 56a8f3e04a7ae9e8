package facts

import (
	"strings"
)

// Words of the rules for tastes. Verbs have their object on the right, or, if nothing follows, on the left. Predicates have it on
// the left: 香菜真上头, 对香菜上瘾.
var (
	loving = setOf(" 激推 单推 狂推 猛推 本命 墙头是 -本命年 -入坑指南 -单推人 -激推群 -激推人 得意 待见 -得意洋洋 -得意忘形 -春风得意 -好得意 -太得意 -得意了 -得意的笑 心头好就是 的心头好是 的心头好就是 爱住了 爱住 爱麻了 爱疯了 快乐就是 快乐是 快乐源泉就是 乐趣就是 乐趣是 意义就是 动力就是 幸福就是 解压方式就是 解压方式是 精神寄托是 精神寄托就是 新欢是 新欢就是 新爱好是 新爱好就是 新宠是 新宠就是 -谈恋爱 -恋爱了 -快乐是假 最爱是 最爱就是 的最爱是 心头好： 心头好: 本命： 快乐源泉是 快乐源泉： 精神食粮是 欢喜 爱的是 最喜欢是 -皆大欢喜 -满心欢喜 -空欢喜 -欢喜冤家 -追剧 -追番 -追星 -就好了 -爱好者 -被拒绝 -迷迷 不能没有 少不得 愿称 满脑子都是 满脑子 满心都是 眼里只有 心里只有 脑子里全是 喜欢上了 喜欢上 喜欢 爱上了 爱上 爱死了 爱死 爱惨了 爱惨 爱 迷上了 迷上 迷恋 迷 沉迷于 沉迷在 沉迷 痴迷于 痴迷 着迷于 沉浸在 热爱 酷爱 钟爱 偏爱 深爱 最爱 超爱 独爱 入坑了 入坑 跳坑 掉进 掉坑 掉入 粉上了 粉上 粉了 稀罕 钟情于 钟情 馋 好这口 心水 中意 离不开 离不了 戒不掉 戒不了 放不下 爱好是 爱好就是 爱好 兴趣是 最大的爱好是 最大的爱好就是 本命是 真爱是 心头好是 安利 狂热 上瘾于 着迷 上头 泡在 死磕 肝 追 常备 痴心于 偏好 热衷于 热衷 离开不了 被 喜好 喜爱 倾心于 种草 入门了 入了 喜歡 稀饭 稀罕上 嗑 磕 续命靠" +
		" -可爱 -恋爱 -爱豆 -爱奇艺 -爱心 -爱情 -爱人 -亲爱 -爱国 -敬爱 -爱护 -相爱 -做爱 -爱玛 -关爱 -宠爱 -爱你 -爱咋 -爱谁 -爱信不信 -爱理不理 -爱答不理 -爱来不来 -爱去不去 -母爱 -父爱 -爱犬 -爱车 -爱妻 -割爱 -爱丽丝 -爱马仕 -爱因斯坦 -爱尔兰 -迷路 -迷糊 -迷你 -迷茫 -迷惑 -谜 -歌迷 -球迷 -影迷 -戏迷 -财迷 -昏迷 -迷信 -粉丝 -猪肝 -肝疼 -爆肝 -鸡肝 -追上 -追到 -追着 -追赶 -追尾 -追问 -追加 -追究 -追不 -爱吃不吃 -真爱粉 -被窝 -被子 -馋猫 -嘴馋 -放不下心 -迷弟 -迷妹 -入了群 -爱啊 -上头条 -喜欢的人 -爱的 -自爱 -疼爱 -爱惜 -爱莫能助 -爱死不死 -被动 -被迫 -被人 -安利过 -迷之 -迷宫 -低迷 -沉迷学习 -爱学习 -磕头 -磕碰 -入门级")
	hating = setOf(" 没啥好印象 没好印象 没什么好印象 印象不好 最恶 不喜 -不喜欢 无缘 没缘分 不感兴趣的就是 -无缘无故 一点好感都没有 一点好感也没有 毫无好感 没有好感 没半点好感 没啥好感 无法理解 离我远点 离我远一点 退散 别来沾边 别挨我 可讨厌了 -讨厌死了我 不适合我 不是我的菜 不是我的茶 不对我胃口 不合胃口 不合我口味 没法喜欢 退退退 势不两立 不吃 从不吃 不喝 -不吃了 -不喝了 -不吃饭 -不吃晚饭 -不喝酒 -吃不吃 我的雷 我雷点 我的雷点 八字不合 犯冲 气场不合 相克 讨厌 受不了 受不住 忍不了 忍受不了 接受不了 接受不能 无法接受 没法接受 不能接受 欣赏不来 欣赏不了 欣赏不动 理解不了 get不到 爱不起来 喜欢不起来 喜欢不来 吃不来 吃不惯 看不惯 看不下去 听不得 听不下去 见不得 闻不得 闻不了 碰不得 怕 不能忍 不能碰 抵触 排斥 无感 不感冒 不来电 不对付 抗拒 避雷 达咩 没好感 没什么好感 无爱 恶心 膈应 头大 头疼 敬而远之 绕道走 绕着走 绕道 退避三舍 敬谢不敏 免了 劝退 天敌 克星 噩梦 不共戴天 死敌 苦手 厌恶 反感 嫌弃 嫌 恨透了 恨透 恨死 恨 烦透了 烦透 烦死 烦 过敏 来不了 享受不来 享受不了 消受不了 不合 接受无能 欣赏无能 无能 NO no 打咩 哒咩 不行 不得劲 犯怵 犯恶心 想吐 yue yue了 倒胃口 没胃口 一口都吃不下 一口不碰 一口都不碰 不碰 从来不碰 从不碰 绝不碰 绝对不碰 不沾 滴酒不沾 生理不适 生理性厌恶 鸡皮疙瘩 水土不服 起疹子 杀了我 要我命 要我的命 会疯 会死 我跑 我先跑 黑名单 拉黑 雷点 天雷 没救 无语 拒绝 受够了 受够 敬而远 伤不起 吃不消 遭不住 顶不住 扛不住" +
		" -害怕 -可怕 -恐怕 -只怕 -哪怕 -怕是 -怕不是 -怕死了 -生怕 -就怕 -最怕你 -怕什么 -不怕 -别怕 -麻烦 -烦恼 -烦人 -不耐烦 -烦请 -烦躁 -不厌其烦 -烦心 -耐烦 -烦着呢 -恨不得 -恨不能 -仇恨 -悔恨 -怨恨 -讨人厌 -老板讨厌 -讨厌鬼 -嫌弃我 -嫌我 -嫌疑 -嫌麻烦 -烦我 -烦你 -头疼药 -行不行 -还行 -也行 -不行吗 -不行了 -可行 -不行就 -行不通 -no的 -怕疼 -怕冷 -怕热 -烦死我 -烦死了 -烦死 -我恨 -无语了 -怕黑 -怕老婆 -怕高 -受够了没 -噩梦了 -做噩梦 -怕迟到 -怕你 -怕他 -恶心人")
	lovely = setOf(" 厨 激推人 单推人 -大厨 -帮厨 -下厨 -主厨 -名厨 -后厨 -私厨 -厨房 -厨师 一见钟情 一见倾心 -潜水党 -伸手党 -学生党 -标题党 -加班党 -考研党 -住校党 -上班党 -打工党 -手残党 -社恐党 -颜控 -共产党 -恋爱了 -谈恋爱了 -谈恋爱 狂热爱好者 深度爱好者 资深爱好者 骨灰级爱好者 十级爱好者 的铁杆爱好者 铁杆粉丝 深度用户 戳我 戳中我 戳到我 击中我 打动我 深得我心 甚得我心 合我口味 对我胃口 对我的胃口 我的菜 拿捏了我 拿捏住我 硬控我 硬控 治好了我 拯救了我 排第一 排在第一 第一位 no.1 NO.1 top1 TOP1 稳居第一 榜首 -拒绝了 -断绝了 -灭绝了 -谢绝了 -回绝了 -隔绝了 -不是我的菜 -第一位同学 狂热分子 重度分子 信徒 忠实信徒 陷进去 让人上瘾 会让人上瘾 会上瘾 着了魔 锁死 的快乐 的乐趣 的魅力 的美妙 来劲 来精神 不困了 就精神 两眼放光 眼睛放光 我的快乐源泉 我的精神支柱 我的续命药 没别的爱好 没什么爱好 没啥爱好 没其他爱好 没有别的爱好 真绝 太绝 好绝 真的绝 巨绝 都不腻 不腻 都不会腻 不会腻 瘾犯了 瘾又犯 瘾上来 打call 深似海 吃一辈子 玩一辈子 看一辈子 听一辈子 喝一辈子 爱一辈子 吃不够 玩不够 看不够 听不够 喝不够 咋活 咋过 怎么过 有研究 着了迷 的粉丝 的铁粉 的死忠粉 的死忠 的忠粉 的老粉 的唯粉 永远的神 永远滴神 yyds YYDS 天下第一 世界第一 宇宙第一 是我的命 就是我的命 就是命 就是我的神 是我的神 我的神 是我的菜 我的最爱 我最爱 的最爱 最爱了 心头好 快乐源泉 快乐老家 精神支柱 精神食粮 续命 保命 上头 上瘾 有瘾 成瘾 瘾很大 瘾大 瘾太大 入迷 着迷 着魔 入魔 魔怔 真爱 真香 没抵抗力 没有抵抗力 没什么抵抗力 毫无抵抗力 没有任何抵抗力 完全没抵抗力 爱不释手 情有独钟 感兴趣 有兴趣 来兴趣 欲罢不能 停不下来 无法自拔 不能自拔 百吃不厌 百吃不腻 百看不厌 百看不腻 百听不厌 百玩不腻 吃不腻 玩不腻 听不腻 看不腻 喝不腻 永远不会腻 yyds！ 赛高 吹爆 绝了 绝绝子 香迷糊 香疯 爱好者 粉丝 的粉 铁粉 死忠粉 死忠 脑残粉 忠粉 忠实粉丝 老粉 唯粉 骨灰级 骨灰粉 发烧友 十级 狂热 控 党 脑袋 重度用户 重度患者 资深 选手 戒不掉 离不开 离不了 少不了 不能没有 一天都不能没有 不能少 活不了 没法活 活不下去 过不下去 没法过 怎么活 不行 会死 要命 浑身难受 浑身不得劲 吃不下饭 睡不着 没灵魂 拿命爱 本命 命根子 心肝 宝贝 白月光 人间理想 快乐 幸福 治愈 解压 舒坦 爱了爱了 爱了 爱惨了 爱死了 爱疯了 大爱 真爱了 给迷住 迷住 迷得 圈粉 种草 俘获 俘虏 拿捏 征服 套牢 的吸引力 爱得 爱到 喜欢得 喜欢到 迷得不行 痴迷 沉迷 入迷了 念念不忘 心心念念 流口水 走不动道 走不动路 挪不动 迈不动腿 最香 第一名 比什么都强 yyds啊 好这口 好这个 好这一口 这口 唯一爱好 唯一的爱好 人生乐趣 乐趣 一把好手 有感情 狂爱 猛男 头号粉丝 忠实用户 忠实拥趸 忠实听众 忠实观众 忠实玩家 老玩家 狂魔 达人 重度爱好者 中毒 中了毒 迷 狂 痴 门 心动 天花板" +
		" -神经 -女神 -男神 -神奇 -精神 -留神 -走神 -神仙 -神马 -神器 -眼神 -不行了 -行不行 -还行 -就不行 -门口 -出门 -开门 -部门 -热门 -门票 -门店 -专门 -敲门 -关门 -一门 -快乐吗 -生日快乐 -节日快乐 -新年快乐 -祝你 -快乐每一天 -控制 -失控 -党员 -入党 -迷路 -迷糊 -发狂 -疯狂 -狂风 -狂欢 -痴呆 -白痴 -心动不如 -拿捏了 -睡不着觉 -粉丝群 -粉丝团 -爱好 -神秘 -神经病 -宝贝们 -宝贝儿 -单身狗")
	cooling = setOf(" 脱饭 脱推 热情耗尽 耗尽热情 激情耗尽 不推 够够的 扔一边 丢一边 撂一边 搁一边 掰了 散伙 闹掰 分道扬镳 没反应 没了反应 没波澜 没啥反应 吸引不了我 吸引不到我 打动不了我 勾不起 引不起 激不起 满足不了我 不再吸引我 一点感觉都没有 一点感觉也没有 毫无感觉 毫无波澜 没有任何感觉 一点兴趣都没有 一点兴趣也没有 一点兴趣都没了 毫无兴趣 没半点兴趣 没有半点兴趣 过了那个劲 过了那股劲 过了那阵 过了那个阶段 过了那个年纪 过了那个劲头 很久没碰 好久没碰 提不起劲 没激情 没了激情 没动力 没了动力 心如止水 没有当初 没当初 没有以前 没了当初 没有之前 没有了当初 不会再碰 再也不会碰 不会再玩 不会再吃 不会再看 瘾已经过 瘾早过 退出 没吸引力 没有吸引力 没了吸引力 失去吸引力 完全不想 不想了 一点不想 热情消退 热情减退 坑里爬出 坑里出来 爬出来了 -退出群 -退出登录 -退出游戏 没碰 好久没玩 好久没吃 好久没看 懒得碰 懒得玩 懒得看 懒得打开 懒得点开 脱离 热情已经过 热情早过 热情早就 热情慢慢 热情渐渐 热情逐渐 热情都过 热情也过 -讨厌了 -讨厌 缘分尽 缘尽 缘分已尽 不行了 腻了 腻 腻歪 吃腻 玩腻 听腻 看腻 喝腻 厌了 厌倦 厌烦 倦了 够了 吃够 玩够 看够 听够 喝够 吃伤 吃吐 看吐 玩吐 听吐 喝吐 没兴趣 没了兴趣 没啥兴趣 没什么兴趣 没多大兴趣 没有兴趣 不感兴趣 提不起兴趣 提不起精神 兴致全无 没了兴致 没兴致 失去兴趣 失去了兴趣 丧失兴趣 丧失了兴趣 没感觉 没了感觉 没啥感觉 没什么感觉 没有感觉 没感情 没热情 没了热情 没意思 没啥意思 没劲 无感 不香 祛魅 下头 脱粉 退坑 弃坑 出坑 脱坑 离坑 退圈 出圈 弃了 弃了吧 戒了 戒掉 戒断 戒 免疫 热情过 热情没 热情退 热情不 热情消 热度过 劲过 劲儿过 劲头过 劲没 劲儿没 新鲜劲 新鲜感 三分钟热度 瘾过 过了瘾 没瘾 爱不起来 喜欢不起来 看都不想看 碰都不想碰 吃都不想吃 玩都不想玩 听都不想听 提都不想提 想都不想 一眼都不想 一口都不想 一点都不想 不想碰 不想看 不想吃 不想玩 不想听 不想喝 不碰 不玩 不吃 不看 不听 不喝 不追 不粉 不迷 不上头 不嗑 不磕 不沉迷 不馋 不稀罕 不好这口 不入坑 取关 卸载 卸了 退游 退网 告别 再见 拜拜 拜了个拜 打入冷宫 吃灰 落灰 那阵过 那阵子过 没以前 不如以前 不像以前 淡了 变淡 冷了 凉了 放下了 翻篇 过去式 过去时 毕业了 到头了 走出来 爱不动 追不动 肝不动 玩不动 吃不动 爬不动 封印 送走 出掉 转手 扔了 封坑 怂恿不动 不来电 不感冒 没那么香 没那么上头 变心 移情别恋 爬墙 倒胃口 反胃 没胃口 索然无味 味同嚼蜡 平平无奇 就那样 也就那样 不过如此 一般般 不复当年 金盆洗手 洗手不干 收手 断了 断掉 弃 戒了吧 放弃 清醒了 醒了 上岸 回头是岸 从良 了结 过劲 过气 下线 提不起 没心思 没心情 不再" +
		" -吃够了没 -不看不 -醒了吗 -睡醒了 -刚醒 -凉了半截 -天冷了 -太冷了 -冷了好 -好冷了 -降温 -扔了垃圾 -放弃吧 -嫌弃 -不吃了 -抛弃 -毕业了吗 -上岸了吗 -提不起来 -戒备 -戒指 -警戒 -油腻 -细腻 -不听话 -不看好 -不喝酒 -不吃饭 -不再见 -油腻腻 -手凉了 -断了网 -网断了 -断电 -断了电 -不好看")
	// negators turn a word of liking round. They end the text before it.
	negators = setOf(" 过了 不 没 没有 不再 不怎么 不太 不是很 不算 没那么 没这么 没怎么 再也不 不想 不会 不能 不咋 不大 并不 不是 不是特别 不那么 谈不上 说不上 从不 毫不 压根不 根本不 无法 没法 不至于 不用 没多 不可能 绝不 -忍不 -受不 -不得不 -怎么能不 -是不 -哪能不 -差不")
	ending   = setOf(" 再 已经 早就 早已 早 现在 如今 突然 忽然 慢慢 渐渐 变得 越来越 开始 以后 从此 从今 不了 终于 最近 彻底 逐渐 后来 目前 已 倒 却 反而 忽 莫名 无缘无故 一下子 年纪大了 老了 今年 -现在的")
	// objectHeads stand before an object on the left of a word.
	objectHeads = setOf(" 磕 嗑 踩雷 避雷 会为 安利一下 推荐一下 安利 强推 吹爆 天天 每天 整天 日常 发现了 发现 体会到 感受到 get到了 get到 懂了 领略到 一想到 想到 听到 听见 闻到 迷 -迷你 -迷宫 -迷迭香 都说 说 -说唱 -说相声 -说书 一入 都爱 爱 都喜欢 喜欢 -爱豆 -爱尔兰 -爱情 一说到 说到 说起 提到 提起 一提到 一提 一看到 一看见 一闻到 一听到 看到 看见 关于 至于 论 要说 要说最 比起 对于 对 没有了 没有 没了 没 全靠 都靠 就靠 靠 离了 离开了 离开 有了 只有 有 就是 还是 是 被 把 给 让 跟 和 就 再 这 我 一天不 一日不 一天没有 几天不 不 谁懂 为了 为 因为 唯有 唯 光 只要 只想要 除了 什么 这个 那个 最 真的 戒了 要是没有 终于把 终于 总算把 总算 已经把 已经 居然 竟然 被这 吃 了 以前的 曾经的 当初的 最爱的 喜欢的 心爱的 什么都不如 命里不能没有 不能没有 不能缺 少不了 少了 受够了 厌倦了 放弃了 放弃 告别了 告别 再见了 再见 拜拜了 拜拜 戒掉了 戒掉 戒 卸载了 卸载 卸了 弃了 腻了 玩腻了 吃腻了 退坑了 退坑 弃坑了 弃坑 脱粉了 脱粉 退了 脱离 远离 逃离 走出 失去 不再碰 不再玩 不再沉迷 不再迷恋 不再追 不再 早就 早 从 也 都 别再跟我提 别跟我提 别再提 别提 谁再跟我提 要我说还是 要我说 -没药花园 -有道 -对象棋 -有氧 -和平精英 -和田 -给排水 -这就是街舞 -最强大脑 -最终幻想 -不二家 -不锈钢 -光遇 -光之 -是枝裕和 -从前慢 -跟团 -对联 -把妹 -都市 -就业 -吃鸡 -吃播 -再来一瓶 -没事 -我的世界 -我们厂 -有机 -吃瓜 -和服 -和牛 -让子弹飞 -光影 -对决 -有声书 -有声 -早茶 -早餐 -最美 -早安 -早古 -一番赏")
	// objectTails follow an object.
	objectTails = setOf(" 不亏 拒绝 杠上 干上 较上劲 这个东西 谁懂啊 谁懂 有没有人懂 搞起来 整起来 走起 狠狠 天生 八字 命里 会让人 让人 真的会 对我已经 对我来说已经 闻着就 闻着 看着就 闻到就 看到就 一闻 一看 吃了就 一吃就 天天吃 天天看 天天玩 天天听 天天喝 真的好 真好 太好 真不错 太香 太可 这日子 日子 好 这种东西 这种食物 这种口味 这种味道 这种水果 这种东东 那种东西 这玩意儿 这玩意 那玩意儿 那玩意 这东西 那东西 这款游戏 这游戏 这个游戏 这部剧 这个 那个 这种 那种 这类 这项运动 这运动 这活动 这项目 这项 这爱好 这坑 这道菜 这味道 这味儿 的味道 的味儿 那味儿 那味道 这口 那口 这一口 那一口 这事儿 这事 这件事 这块 这方面 的时候 什么的 之类的 啥的 那股劲儿 那股劲 那股新鲜劲 那股子劲 那股 的新鲜劲 的新鲜感 新鲜劲 那阵 那阵子 的热情 的那股 的那种 的劲 的瘾 瘾 的坑 坑 的感觉 的兴趣 我是 我 俺 本人 对我 对我来说 于我 于我而言 对我而言 在我这 在我这儿 在我这里 在我心里 在我眼里 我对 我就 咱 真 是真 是真的 那是 那真是 可 可是 简直 就是 就 是 也 都 还是 永远 永远是 才 才是 一直 绝对 绝对是 必须 必须是 确实 真是 真的是 始终 依旧 依然 仍然 太 超 巨 贼 很 最 特别 有点 一点 一点都 一点也 一点儿都 一点儿 完全 根本 实在 已经 早就 早 现在 如今 突然 忽然 终于 算是 总算 彻底 慢慢 渐渐 从此 今年 最近 正式 居然 竟然 真心 恕我 不是 无一例外 啊 呀 嘛 吧 呢 哦 的 得 了 给 把 着 怎么 再 又 却 倒 反正 天天 每天 一天 一天都 一天不 一天没有 一日 几天 就浑身 就觉得 谁 都能 能 会 要 拜托 伤透 ， 、 ： : “ ” \" 「 」 《 》 吃了 玩了 看了 听了 喝了 吃得 玩得 看得 听得 喝得 吃到 玩到 看到 听到 喝到 吃多 玩多 我也 我都 我真 我真的 我可 我可太 我实在 我是真 我是真的 我吃 我玩 我看 我听 我喝 我最 我超 我巨 我已经 我早就 我现在 我一个 我这个 我还是 我还 我反正 我终于 我算是 -小说 -直播带货 -我的世界 -打坐 -听书 -看书 -吃鸡 -听歌 -玩乐高 -看剧 -看展 -喝茶 -吃播")
	// loose words are on the right of an object.
	rightTails = setOf(" 中 是出了名的 是出了名 那是出了名的 那是出了名 人尽皆知 不是一天两天了 不是一天两天 是众所周知的 了怎么办 怎么办 了咋办 咋办 了咋整 咋整 怎么破 在此 爱到疯 爱得要命 爱到疯魔 了属于是 属于是 为神 为永远的神 为最强 胜过一切 超过一切 大于一切 的年纪 的年龄 的阶段 那个味道 那个味儿 那个味 那股味 苦海 大军 行列 它 他们 它们 一点没腻 一点也不腻 得不行 得不得了 得很 得要死 得要命 得要死要活 得飞起 到飞起 得一塌糊涂 到不行 不行了 死了 惨了 好久了 很久了 好几年了 好多年了 很多年了 多年了 多年 这么久 这么多年 一辈子 这种东西 这玩意儿 这玩意 那玩意儿 这东西 那东西 这款游戏 这游戏 这部剧 这种 这类 那种 这个坑 这个 这口 这一口 这事 这件事 什么的 之类的 啥的 的人 的味道 的味儿 的感觉 的坑 这坑 大坑 坑 不能自拔 无法自拔 欲罢不能 停不下来 上瘾 续命 了 啦 的 呢 哈 嘛 啊 呀 过日子 活着 为生 为乐 吊命 度日 那一套 那套 那些 好吗 好吧 的好吧 的好吗 好伐 得紧 到家了 到死 到老 上头 到停不下来 到失眠 到半夜 得睡不着 不已 有加 至极 无比")
)

// likes reads 我喜欢香菜, 香菜我不爱了, 对香菜上瘾 and 我讨厌香菜.
func (r tasteReader) likes(c *clause) bool {
	r.found = false
	if r.fond(c) {
		return true
	}
	if !tasteWords.in(c.rest) && (c.before == "" || !tasteWords.in(c.before+c.rest)) {
		if r.offers(r.clauseText) {
			return false
		}
		if c.explicit && c.subject != "" && c.before == "" { // 小王每天念叨香菜，爱得很
			what, ok := craves.cut(c.rest)
			if rest, needs := strings.CutPrefix(c.rest, "要"); needs && daily.in(strings.TrimSuffix(c.text, c.rest)) { // 我每天都要奶茶，太喜欢了
				what, ok = rest, true
			}
			if ok {
				r.object = likeable(what)
			}
		}
		if c.before == "" && (!c.explicit || c.subject == "") {
			r.topic(c)
		}
		return false
	}
	for _, words := range [...]*wordSet{cooling, hating, lovely, loving} {
		text := c.before + c.rest
		for from := 0; from < len(text); {
			before, w, after := words.find(text[from:])
			if w == "" {
				break
			}
			at := from + len(before)
			if r.insideName(text, at) {
				from = at + len(w)
				continue
			}
			read := false
			switch words {
			case cooling:
				read = r.cools(c, text[:at], w, after)
			case hating:
				read = r.hates(c, text[:at], w, after)
			case lovely:
				read = r.isLovely(c, text[:at], w, after)
			case loving:
				read = r.loves(c, text[:at], w, after)
			}
			if read {
				return true
			}
			from = at + len(w)
		}
	}
	if c.before == "" && (!c.explicit || c.subject == "") && !r.found {
		r.topic(c)
	}
	return false
}

// judging words stand before what somebody thinks of a thing.
var judging = setOf(" 比 -比萨 -比赛 -比熊 -比基尼 -比利时 -比亚迪 别叫 别喊 别找 别约 就别 就算了 就那样 太 真 真的 好 超 贼 巨 特别 有点 实在 简直 -真人 -好莱坞 -太极 -太空 -太阳 -真题 -真空 -超市 -超级 -超跑 -好友 -好声音 -真心")

var tasteWords = unionOf(cooling, hating, lovely, loving)

// taste adds a claim about something that somebody likes or not.
func (r tasteReader) taste(c *clause, relation Relation, object string, ends bool) bool {
	if object == "" {
		return false
	}
	if r.names.Meant(object) != "" || r.doubtful && !ends && object == r.object { // a person, or no thing
		return false
	}
	r.object, r.doubtful = object, false
	return r.claim(c, relation, object, ends)
}

var strongHeads = setOf(" 为 会为 愿为 就靠 一说 一提 一聊 一听 一看 一闻 一见 一碰 一玩 只要有 自从 发现了 发现 体会到 感受到 get到了 get到 懂了 领略到 听到 看到 闻到 看见 听见 一想到 想到 和 跟 除了 对 没有 没了 没 全靠 靠 离了 离开 不能没有 少不了 被 说到 提到 一说到 说起 提起 一看到 一闻到 戒 弃坑 退坑 脱粉 告别 放弃 一天不 几天不 受够了 玩腻了 吃腻了")

// cools reads 香菜我吃腻了 and 对香菜没兴趣了.
func (r tasteReader) cools(c *clause, before, w, after string) bool {
	if strings.HasPrefix(after, "过") || strings.HasPrefix(after, "吗") || strings.HasSuffix(degreesEnd(before), "不") && w != "不" || strings.HasSuffix(before, "没") {
		return false
	}
	rest := strings.TrimLeft(after, "掉了")
	object := ""
	verb := rightCooling.is(w)
	if verb {
		object = likeable(rightTails.cutEnds(strings.TrimPrefix(rest, "过")))
		if cooling.begin(object) { // 脱粉了脱粉了
			object = ""
		}
	}
	if object == "" || runes(object) > 9 {
		object = r.left(c, before)
	}
	plain := object == "" && before == c.before && c.before == ""
	if object == "" {
		object = r.object
	}
	if object == "" || noObject.in(object) || w == "不行了" && object != r.object {
		return false
	}
	switch {
	case flatCooling.is(w) && !(r.wasFond && object == r.object) && !strings.Contains(after, "了") && !ending.in(before) && !ending.in(c.lead) && !strings.Contains(before, "再"): // 对香菜没兴趣
		if !c.explicit && !hasHead(before) || strings.Contains(before, "以前") {
			return false
		}
		return r.taste(c, Dislikes, object, false)
	case strings.HasPrefix(w, "不") && len(w) <= len("不玩") && !strings.HasPrefix(after, "了") && !strings.Contains(before, "再"):
		return false
	case plain && r.object == "":
		return false
	}
	return r.taste(c, Likes, object, true)
}

var (
	rightCooling = setOf(" 很久没碰 好久没碰 没碰 好久没玩 好久没吃 好久没看 不会再碰 再也不碰 不再碰 退出 脱离 退坑 弃坑 脱粉 脱坑 离坑 出坑 戒了 戒掉 戒 戒断 弃了 弃 告别 再见 拜拜 放弃 卸载 卸了 厌倦 厌烦 厌了 腻了 吃腻 玩腻 听腻 看腻 喝腻 吃够 玩够 看够 听够 取关 不碰 不玩 不吃 不看 不听 不喝 不追 不粉 不迷 不嗑 不磕 不沉迷 不稀罕 不馋 祛魅 吃伤 吃吐 看吐 玩吐 听吐 喝吐 断了 断掉 送走 出掉")
	flatCooling  = setOf(" 毫无兴趣 没半点兴趣 一点兴趣都没有 一点兴趣也没有 毫无感觉 一点感觉都没有 一点感觉也没有 心如止水 没兴趣 没啥兴趣 没什么兴趣 没多大兴趣 没有兴趣 不感兴趣 提不起兴趣 提不起劲 没感觉 没啥感觉 没什么感觉 没有感觉 没意思 没劲 无感 不来电 不感冒 没胃口 免疫 爱不起来 喜欢不起来 提不起 就那样 一般般 没瘾 看都不想看 碰都不想碰 吃都不想吃 一口都不想 一眼都不想 不想碰 不想吃 不碰 倒胃口 反胃 不香")
	// noObject words are in what nobody likes or hates for long.
	noObject = setOf(" 放假 摸鱼 早睡 发呆 -剑网 饭 夜宵 药 早餐 午餐 晚餐 水 自己 你们 时候 时间 今天 明天 昨天 周一 周二 周三 周四 周五 早上 晚上 工作 上班 加班 老板 领导 客户 甲方 天气 下雨 堵车 这种人 这个人 的人 有人 别人 大家 群里 表情包 说法 这句 这首 这张 这图 头像 声音 聊天 消息 电话 作业 考试 开会 手机 网 电量 话费 流量 快递 房租 公司 学校 食堂 生活 人生 世界 日子 钱 工资 觉 眼睛 脑子 嗓子 身体 头发 -聊天室 -生活大爆炸 -网球 -网游 -网剧 -网文 -网易云 -网红 -手机摄影 -金钱豹 -世界杯 -我的世界 -魔兽世界 -快递员 -钱包 -头发护理 -觉醒 -三国")
)

// hates reads 我讨厌香菜 and 香菜我受不了.
func (r tasteReader) hates(c *clause, before, w, after string) bool {
	lead, ok := c.leadOf(before)
	if w == "过敏" {
		if a, is := findAnimal(r.left(c, before)); is && a.before == "" && a.after == "" { // 对猫过敏，只能送人了
			r.animal = a.value
			return false
		}
	}
	if !ok || strings.HasPrefix(after, "过") && w != "过敏" || negators.ends(degreesEnd(before)) != "" && !strings.HasSuffix(degreesEnd(before), "不是") || strings.HasPrefix(after, "你") || strings.HasPrefix(after, "我") {
		return false
	}
	object := ""
	if after = whatIs(after); strings.HasPrefix(after, "的") && particles.cutEnds(after) != "" { // 讨厌的人升职了
		return false
	}
	if w == "不吃" || w == "不喝" {
		if what, crave, _ := craving.find(after); crave != "" { // 一天不喝奶茶就难受
			return r.taste(c, Likes, likeable(what), false)
		}
	}
	if rightHating.is(w) {
		object = likeable(rightTails.cutEnds(strings.TrimPrefix(strings.TrimLeft(after, "的"), "了")))
	}
	if rightHating.is(w) && object == "" && this.is(particles.cutEnds(strings.TrimSpace(after))) && r.object != "" && c.near(lead) { // 就讨厌这个
		return r.taste(c, Dislikes, r.object, false)
	}
	one := len(w) <= len("怕") // a single character
	if object != "" {
		near := c.near(lead)
		if !near && !strings.HasPrefix(lead, "宁") && !(c.before == "" && adverbials.ends(lead) != "") || one && !c.explicit && degreesEnd(lead) == lead && lead != "" || one && !c.explicit && lead == "" && !c.stressed {
			return false
		}
		if !c.explicit && outspoken.is(w) || hating.begin(object) && runes(object) < 5 {
			return false
		}
		if !c.explicit && (noHate.in(object) || strings.HasPrefix(object, "了")) || (one || w == "就怕" || w == "怕") && !thing(object) {
			return false
		}
		return !noObject.in(object) && r.taste(c, Dislikes, object, false)
	}
	if object = r.left(c, before); object == "" && degreesEnd(lead) == "" || object != "" && c.before == "" && r.object != "" && c.explicit && object == likeable(lead) && one {
		object = r.object
	}
	if object == "" && r.object != "" && thing(r.object) && !strings.ContainsAny(r.object, "在有") && c.explicit && !one && particles.cutEnds(strings.TrimSpace(after)) == "" { // 对香菜，我只有讨厌
		object = r.object
	}
	if object == "" || noObject.in(object) || runes(object) > 10 {
		return false
	}
	if strings.HasSuffix(before, "得") || strings.HasPrefix(before, "没") || strings.HasPrefix(before, "离") {
		return false
	}
	if rightTails.cutEnds(particles.cutEnds(strings.TrimSpace(after))) != "" && !tolerant.is(w) && !strings.HasPrefix(after, "一") && !strings.HasPrefix(after, "得") && !strings.HasPrefix(after, "死") {
		return false
	}
	if !c.explicit && (noHate.in(object) || !thing(object) || mood.is(w) && !hasHead(before) && !kinds.in(before) && !c.stressed && !(w == "讨厌" && strings.Contains(before, "真的"))) { // 蚊子好烦
		return false
	}
	known := c.explicit || hasHead(before) || degreesEnd(before) != before || !one
	if weakHating.is(w) && !(c.explicit && c.before != "") && !hasHead(before) && !hasHead(c.lead) {
		return false
	}
	return known && r.taste(c, Dislikes, object, false)
}

var craving = setOf(" 会死 就会死 就难受 难受 就浑身 浑身 不舒服 就不行 活不 不得劲 会疯 就心慌")

var (
	rightHating = setOf(" 最恶 不喜 无法理解 不吃 从不吃 不喝 膈应 恶心 讨厌 受不了 受不住 忍不了 忍受不了 接受不了 接受不能 无法接受 没法接受 不能接受 欣赏不来 欣赏不了 理解不了 get不到 吃不来 吃不惯 看不惯 听不得 见不得 闻不得 闻不了 碰不得 怕 不能忍 不能碰 抵触 排斥 抗拒 避雷 厌恶 反感 嫌弃 嫌 恨透了 恨透 恨死 恨 烦透了 烦透 烦 拒绝 受够了 受够 不碰 从来不碰 从不碰 不沾 享受不来 消受不了 看不下去 听不下去 没好感")
	tolerant    = setOf(" 受不了 头大 头疼 过敏 接受不了 欣赏不来")
	weakHating  = setOf(" 无缘 没缘分 退退退 不吃 不喝 不行 NO no 免了 会死 会疯 我跑 杀了我 无语 没救 恶心 噩梦 劝退 拉黑 想吐 无感 没胃口 不碰 头疼 过敏 不合 无能 拒绝 顶不住 遭不住 扛不住 吃不消 来不了 怕")
)

// isLovely reads 香菜永远的神, 对香菜上瘾 and 我是香菜爱好者.
func (r tasteReader) isLovely(c *clause, before, w, after string) bool {
	lead, ok := c.leadOf(before)
	rest := particles.cutEnds(strings.TrimSpace(after))
	if !ok && c.explicit && c.before != "" && len(before) < len(c.before) {
		return false
	}
	noun := fans.is(w)
	here := noun && present.begin(strings.TrimSpace(after))
	if rest != "" && (noun && !here || !noun && !fondTails.begin(rest)) {
		return false
	}
	if negators.ends(degreesEnd(before)) != "" && !noun {
		return false
	}
	if noun { // 是香菜爱好者
		what := fillers.cutAll(degrees.cutAll(strings.TrimSpace(lead)))
		is := false
		for again := true; again; {
			what, again = cutAny(what, []string{"是个", "是一个", "是一名", "是名", "就是个", "就是", "是", "一个", "一枚", "一名", "个", "妥妥的", "妥妥", "纯正", "典型", "坚定的", "标准", "作为", "我们的", "著名", "资深", "十级", "骨灰级", "忠实的", "忠实", "重度", "狂热", "铁杆", "超级", "多年", "老"})
			is = is || again
		}
		is = is || hasNounEnd(after) || here
		short := shortFans.is(w)
		if !c.explicit && (strongFans.is(w) || here && !shortFans.is(w)) && c.subject == r.speaker && light(c.before) { // 周杰伦十年老粉了
			what, _ = cutEndAny(cutDurationEnd(what), []string{"的", "十级"})
			return r.taste(c, Likes, likeable(cutDurationEnd(what)), false)
		}
		if !c.explicit || strings.Contains(what, "不") || short && !is {
			return false
		}
		what, _ = cutEndAny(what, []string{"的忠实", "的死忠", "的骨灰级", "的资深", "的重度", "的狂热", "的铁杆", "骨灰级", "资深", "重度", "铁杆", "忠实", "狂热", "十级", "的老", "老", "的"})
		return r.taste(c, Likes, likeable(what), false)
	}
	object := r.left(c, before)
	if object == "" && (degreesEnd(fillers.cutAll(lead)) == "" || lovelyAlone.is(w)) {
		object = r.object
	}
	if object == "" || noObject.in(object) || runes(object) > 10 {
		return false
	}
	if strings.HasPrefix(object, "一") && r.object != "" && runes(object) < 4 { // 香菜这个东西，我一碰就停不下来
		object = r.object
	}
	if gone, ok := cutEndAny(degreesEnd(before), []string{"再也不是", "不再是", "不是"}); ok && runes(gone) > 1 && strings.Contains(c.text, "了") {
		return r.taste(c, Likes, r.left(c, gone), true)
	}
	if weakLovely.is(w) && !hasHead(before) && !hasHead(c.lead) && !strings.HasPrefix(lead, "好") {
		return false
	}
	if !c.explicit && c.subject != r.speaker {
		return r.taste(c, Likes, object, false)
	}
	return r.taste(c, Likes, object, false)
}

var (
	fans        = setOf(" 厨 的厨 激推人 单推人 狂热爱好者 深度爱好者 资深爱好者 骨灰级爱好者 十级爱好者 重度粉 的狂热粉丝 的铁杆爱好者 的铁杆粉丝 铁杆粉丝 的狂热爱好者 的骨灰级玩家 深度用户 忠实信徒 狂热分子 重度分子 信徒 的粉丝 的铁粉 的死忠粉 的死忠 的忠粉 的老粉 的唯粉 爱好者 粉丝 的粉 铁粉 死忠粉 死忠 脑残粉 忠粉 忠实粉丝 老粉 唯粉 骨灰粉 发烧友 控 党 脑袋 重度用户 重度患者 选手 头号粉丝 忠实用户 忠实拥趸 忠实听众 忠实观众 忠实玩家 老玩家 狂魔 达人 重度爱好者 迷 狂 痴 门")
	present     = setOf(" 本控 本迷 本粉 一枚 一个 一名 一位 在此 来了 报到 报道 路过 上线 本人 了好多年 好多年")
	strongFans  = setOf(" 铁粉 死忠粉 死忠 脑残粉 忠粉 老粉 骨灰粉 发烧友 重度爱好者 的铁粉 的死忠粉 的老粉")
	shortFans   = setOf(" 控 党 脑袋 选手 迷 狂 痴 门 达人 狂魔 老玩家")
	fondTails   = setOf(" 吃不够 玩不够 看不够 听不够 喝不够 可言 深沉 要命 要死 疯狂 骨子里 发狂 人 选手 星人 一枚 一个 得 死 到 一天 啊 哦 了 好吗 好吧 的人 不行 的 源泉 老家 神器 活着 过日子 无法自拔 停不下来 好久 很久 这么 过 吗 好不好 都 也 不能")
	lovelyAlone = setOf(" 都不腻 怎么都不腻 不腻 戳我 戳中我 戳到我 深得我心 我的菜 排第一 硬控我 我的快乐源泉 我的精神支柱 陷进去 我的最爱 真爱 真爱了 永远的神 yyds 爱了 爱了爱了 爱死了 上头 真香 无法自拔 停不下来 欲罢不能 是我的命")
	weakLovely  = setOf(" 续命 锁死 的快乐 的乐趣 的魅力 的美妙 来劲 来精神 不困了 就精神 两眼放光 眼睛放光 没别的爱好 没什么爱好 没啥爱好 没其他爱好 没有别的爱好 咋活 咋过 怎么过 有研究 不行 快乐 幸福 治愈 解压 舒坦 会死 要命 睡不着 吃不下饭 保命 宝贝 心肝 最香 第一名 种草 天花板 乐趣 浑身难受 活不了 没法过 过不下去 怎么活 没法活 活不下去 离不开 少不了 离不了 拿捏 真香 绝了 绝绝子 心动 中毒 中了毒 流口水 圈粉 这口 感兴趣 有兴趣")
)
