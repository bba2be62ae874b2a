"""Pinyin of Chinese names, by which Lark's search boxes also match names.

The first level of GB 2312 orders its 3,755 characters by pinyin, so one character per syllable is enough of a table.
Rarer characters and other scripts represent themselves; of several readings only the one used for ordering is known.
"""

from __future__ import annotations

from bisect import bisect_right

_FIRST_OF_SYLLABLE = """
啊a 埃ai 鞍an 肮ang 凹ao 芭ba 白bai 斑ban 邦bang 苞bao 杯bei 奔ben 崩beng 逼bi 鞭bian 标biao 鳖bie 彬bin 兵bing 玻bo
捕bu 擦ca 猜cai 餐can 苍cang 操cao 厕ce 层ceng 插cha 拆chai 搀chan 昌chang 超chao 车che 郴chen 撑cheng 吃chi 充chong
抽chou 初chu 揣chuai 川chuan 疮chuang 吹chui 春chun 戳chuo 疵ci 聪cong 凑cou 粗cu 蹿cuan 摧cui 村cun 磋cuo 搭da 呆dai
耽dan 当dang 刀dao 德de 蹬deng 堤di 颠dian 碉diao 跌die 丁ding 丢diu 东dong 兜dou 督du 端duan 堆dui 墩dun 掇duo 蛾e
恩en 而er 发fa 藩fan 坊fang 菲fei 芬fen 丰feng 佛fo 否fou 夫fu 噶ga 该gai 干gan 冈gang 篙gao 哥ge 给gei 根gen 耕geng
工gong 钩gou 辜gu 刮gua 乖guai 棺guan 光guang 瑰gui 辊gun 锅guo 哈ha 骸hai 酣han 夯hang 壕hao 呵he 嘿hei 痕hen 哼heng
轰hong 喉hou 呼hu 花hua 槐huai 欢huan 荒huang 灰hui 荤hun 豁huo 击ji 嘉jia 歼jian 僵jiang 蕉jiao 揭jie 巾jin 荆jing
炯jiong 揪jiu 鞠ju 捐juan 撅jue 均jun 喀ka 开kai 刊kan 康kang 考kao 坷ke 肯ken 坑keng 空kong 抠kou 枯ku 夸kua 块kuai
宽kuan 匡kuang 亏kui 坤kun 括kuo 垃la 莱lai 蓝lan 琅lang 捞lao 勒le 雷lei 棱leng 厘li 俩lia 联lian 粮liang 撩liao
列lie 琳lin 玲ling 溜liu 龙long 楼lou 芦lu 驴lv 峦luan 掠lve 抡lun 萝luo 妈ma 埋mai 瞒man 芒mang 猫mao 么me 玫mei
门men 萌meng 眯mi 棉mian 苗miao 蔑mie 民min 明ming 谬miu 摸mo 谋mou 拇mu 拿na 氖nai 南nan 囊nang 挠nao 呢ne 馁nei
嫩nen 能neng 妮ni 蔫nian 娘niang 鸟niao 捏nie 您nin 柠ning 牛niu 脓nong 奴nu 女nv 暖nuan 虐nve 挪nuo 哦o 欧ou 啪pa
拍pai 攀pan 乓pang 抛pao 呸pei 喷pen 砰peng 坯pi 篇pian 飘piao 撇pie 拼pin 乒ping 坡po 剖pou 扑pu 期qi 掐qia 牵qian
枪qiang 橇qiao 切qie 钦qin 青qing 琼qiong 秋qiu 趋qu 圈quan 缺que 裙qun 然ran 瓤rang 饶rao 惹re 壬ren 扔reng 日ri
戎rong 揉rou 茹ru 软ruan 蕊rui 闰run 若ruo 撒sa 腮sai 三san 桑sang 搔sao 瑟se 森sen 僧seng 莎sha 筛shai 珊shan 墒shang
梢shao 奢she 砷shen 声sheng 师shi 收shou 蔬shu 刷shua 摔shuai 栓shuan 霜shuang 谁shui 吮shun 说shuo 斯si 松song 搜sou
苏su 酸suan 虽sui 孙sun 蓑suo 塌ta 胎tai 坍tan 汤tang 掏tao 特te 藤teng 梯ti 天tian 挑tiao 贴tie 厅ting 通tong 偷tou
凸tu 湍tuan 推tui 吞tun 拖tuo 挖wa 歪wai 豌wan 汪wang 威wei 瘟wen 嗡weng 挝wo 巫wu 昔xi 瞎xia 掀xian 相xiang 萧xiao
楔xie 薪xin 星xing 兄xiong 休xiu 墟xu 轩xuan 靴xue 勋xun 压ya 焉yan 殃yang 邀yao 椰ye 一yi 茵yin 英ying 哟yo 拥yong
幽you 迂yu 鸳yuan 曰yue 耘yun 匝za 栽zai 咱zan 赃zang 遭zao 责ze 贼zei 怎zen 增zeng 扎zha 摘zhai 瞻zhan 樟zhang 招zhao
遮zhe 珍zhen 蒸zheng 芝zhi 中zhong 舟zhou 珠zhu 抓zhua 拽zhuai 专zhuan 桩zhuang 椎zhui 谆zhun 捉zhuo 兹zi 鬃zong 邹zou
租zu 钻zuan 嘴zui 尊zun 昨zuo
""".split()  # noqa: SIM905 the table is there to be read
_STARTS = [entry[0].encode("gb2312") for entry in _FIRST_OF_SYLLABLE]
_SYLLABLES = [entry[1:] for entry in _FIRST_OF_SYLLABLE]
_LAST = "座".encode("gb2312")


def starts_with_pinyin(name: str, typed: str) -> bool:
    """Return whether `typed` (lower case) begins the name's pinyin, written out (`fabuqun`) or as initials (`fbq`)."""
    syllables = [_syllable(character) for character in name.casefold() if not character.isspace()]
    return "".join(syllables).startswith(typed) or "".join(s[:1] for s in syllables).startswith(typed)


def _syllable(character: str) -> str:
    try:
        code = character.encode("gb2312")
    except UnicodeEncodeError:
        return character
    return _SYLLABLES[bisect_right(_STARTS, code) - 1] if _STARTS[0] <= code <= _LAST else character
