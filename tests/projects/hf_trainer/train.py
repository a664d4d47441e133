"""Fine-tune a tiny, randomly initialised encoder to sort messages by topic.

    python train.py --output_dir out
"""

from dataclasses import dataclass, field

from datasets import load_dataset
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    HfArgumentParser,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
)


@dataclass
class DataArguments:
    train_file: str = field(default="data/messages.jsonl", metadata={"help": "JSON lines with text and label"})
    max_length: int = field(default=256, metadata={"help": "tokens an example is cut to"})


@dataclass
class Arguments(TrainingArguments):
    per_device_train_batch_size: int = field(default=16)
    learning_rate: float = field(default=5e-4)
    logging_steps: int = field(default=1)
    save_steps: int = field(default=10)
    report_to: str = field(default="none")


def main():
    data_args, training_args = HfArgumentParser((DataArguments, Arguments)).parse_args_into_dataclasses()
    tokenizer = PreTrainedTokenizerFast.from_pretrained("tokenizer")

    def tokenize(batch):
        return tokenizer(batch["text"], truncation=True, padding="max_length", max_length=data_args.max_length)

    dataset = load_dataset("json", data_files=data_args.train_file, split="train")
    dataset = dataset.map(tokenize, batched=True, remove_columns=["text"])

    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=256,
        num_labels=4,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    trainer = Trainer(
        model=BertForSequenceClassification(config),
        args=training_args,
        train_dataset=dataset,
        processing_class=tokenizer,
    )
    trainer.train()


if __name__ == "__main__":
    main()
